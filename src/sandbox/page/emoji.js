/** Names that Slack and Discord share, or one of them has, each followed by its emoji. */
const table = `
+1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 ok_hand 👌 wave 👋 clap 👏 raised_hands 🙌 pray 🙏 muscle 💪
point_up ☝️ point_down 👇 point_left 👈 point_right 👉 point_up_2 👆 v ✌️ crossed_fingers 🤞
fingers_crossed 🤞 handshake 🤝 writing_hand ✍️ raised_hand ✋ fist ✊ punch 👊 facepunch 👊 metal 🤘
call_me_hand 🤙 vulcan_salute 🖖 eyes 👀 eye 👁️ brain 🧠 ear 👂
smile 😄 smiley 😃 grinning 😀 grin 😁 laughing 😆 satisfied 😆 sweat_smile 😅 joy 😂 rofl 🤣
rolling_on_the_floor_laughing 🤣 slightly_smiling_face 🙂 slight_smile 🙂 upside_down_face 🙃
upside_down 🙃 wink 😉 blush 😊 relaxed ☺️ innocent 😇 heart_eyes 😍 star-struck 🤩 star_struck 🤩
kissing_heart 😘 yum 😋 stuck_out_tongue 😛 stuck_out_tongue_winking_eye 😜 zany_face 🤪 hugging_face 🤗
hugging 🤗 hugs 🤗 thinking_face 🤔 thinking 🤔 shushing_face 🤫 zipper_mouth_face 🤐 neutral_face 😐
expressionless 😑 no_mouth 😶 smirk 😏 unamused 😒 face_with_rolling_eyes 🙄 rolling_eyes 🙄 grimacing 😬
relieved 😌 pensive 😔 sleepy 😪 sleeping 😴 mask 😷 exploding_head 🤯 partying_face 🥳 sunglasses 😎
nerd_face 🤓 nerd 🤓 face_with_monocle 🧐 confused 😕 worried 😟 slightly_frowning_face 🙁 open_mouth 😮
hushed 😯 astonished 😲 flushed 😳 pleading_face 🥺 frowning 😦 anguished 😧 fearful 😨 cold_sweat 😰
cry 😢 sob 😭 scream 😱 confounded 😖 disappointed 😞 sweat 😓 weary 😩 tired_face 😫 triumph 😤 rage 😡
angry 😠 smiling_imp 😈 skull 💀 poop 💩 hankey 💩 clown_face 🤡 ghost 👻 alien 👽 robot_face 🤖 robot 🤖
salute 🫡 saluting_face 🫡 melting_face 🫠 shrug 🤷 facepalm 🤦 face_palm 🤦 bow 🙇 ok_woman 🙆 no_good 🙅
see_no_evil 🙈 hear_no_evil 🙉 speak_no_evil 🙊 bust_in_silhouette 👤 busts_in_silhouette 👥
technologist 🧑‍💻 student 🧑‍🎓 teacher 🧑‍🏫 detective 🕵️ mage 🧙 superhero 🦸 baby 👶
skin-tone-2 🏻 skin-tone-3 🏼 skin-tone-4 🏽 skin-tone-5 🏾 skin-tone-6 🏿
heart ❤️ orange_heart 🧡 yellow_heart 💛 green_heart 💚 blue_heart 💙 purple_heart 💜 black_heart 🖤
white_heart 🤍 broken_heart 💔 sparkling_heart 💖 two_hearts 💕 100 💯 anger 💢 boom 💥 collision 💥 dizzy 💫
sweat_drops 💦 zzz 💤 speech_balloon 💬 thought_balloon 💭
tada 🎉 confetti_ball 🎊 balloon 🎈 gift 🎁 trophy 🏆 medal 🏅 sports_medal 🏅 first_place_medal 🥇
second_place_medal 🥈 third_place_medal 🥉 crown 👑 gem 💎 sparkles ✨ star ⭐ star2 🌟 stars 🌠 fire 🔥
zap ⚡ rainbow 🌈 sunny ☀️ cloud ☁️ umbrella ☔ snowflake ❄️ ocean 🌊 earth_africa 🌍 earth_americas 🌎
earth_asia 🌏 moon 🌔 full_moon 🌕 seedling 🌱 evergreen_tree 🌲 four_leaf_clover 🍀 rose 🌹 cactus 🌵
dog 🐶 cat 🐱 mouse 🐭 fox_face 🦊 bear 🐻 panda_face 🐼 unicorn_face 🦄 unicorn 🦄 bug 🐛 bee 🐝 butterfly 🦋
turtle 🐢 snake 🐍 penguin 🐧 bird 🐦 owl 🦉 whale 🐳 dolphin 🐬 octopus 🐙 snail 🐌 crab 🦀 paw_prints 🐾
coffee ☕ tea 🍵 beer 🍺 beers 🍻 wine_glass 🍷 cocktail 🍸 champagne 🍾 pizza 🍕 hamburger 🍔 fries 🍟 taco 🌮
cookie 🍪 cake 🍰 birthday 🎂 doughnut 🍩 icecream 🍦 apple 🍎 banana 🍌 avocado 🥑 popcorn 🍿 bread 🍞
soccer ⚽ basketball 🏀 dart 🎯 video_game 🎮 game_die 🎲 guitar 🎸 musical_note 🎵 notes 🎶 art 🎨 movie_camera 🎥
rocket 🚀 airplane ✈️ car 🚗 red_car 🚗 bus 🚌 train 🚋 bike 🚲 ship 🚢 anchor ⚓ construction 🚧 house 🏠
office 🏢 lighthouse 🗼 world_map 🗺️ compass 🧭 tent ⛺
bulb 💡 computer 💻 keyboard ⌨️ iphone 📱 telephone_receiver 📞 phone ☎️ battery 🔋 electric_plug 🔌
floppy_disk 💾 cd 💿 camera 📷 mag 🔍 mag_right 🔎 lock 🔒 unlock 🔓 key 🔑 hammer 🔨 wrench 🔧
hammer_and_wrench 🛠️ tools 🛠️ gear ⚙️ link 🔗 paperclip 📎 scissors ✂️ pushpin 📌 round_pushpin 📍
triangular_ruler 📐 pencil ✏️ pencil2 ✏️ memo 📝 book 📖 books 📚 notebook 📓 ledger 📒 page_facing_up 📄
bookmark 🔖 label 🏷️ newspaper 📰 clipboard 📋 calendar 📆 date 📅 file_folder 📁 open_file_folder 📂
card_index_dividers 🗂️ chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊 package 📦
inbox_tray 📥 outbox_tray 📤 email ✉️ envelope ✉️ mailbox 📫 e-mail 📧 incoming_envelope 📨 bell 🔔
no_bell 🔕 mega 📣 loudspeaker 📢 speaker 🔈 mute 🔇 hourglass ⌛ hourglass_flowing_sand ⏳ watch ⌚
alarm_clock ⏰ stopwatch ⏱️ timer_clock ⏲️ moneybag 💰 credit_card 💳 shield 🛡️ test_tube 🧪 dna 🧬
microscope 🔬 telescope 🔭 magnet 🧲 broom 🧹 wastebasket 🗑️ thread 🧵 puzzle_piece 🧩 jigsaw 🧩
white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ x ❌ heavy_multiplication_x ✖️
negative_squared_cross_mark ❎ warning ⚠️ no_entry ⛔ no_entry_sign 🚫 octagonal_sign 🛑 stop_sign 🛑
exclamation ❗ heavy_exclamation_mark ❗ question ❓ grey_question ❔ grey_exclamation ❕ bangbang ‼️
interrobang ⁉️ information_source ℹ️ sos 🆘 new 🆕 free 🆓 ok 🆗 cool 🆒 up 🆙 top 🔝 soon 🔜 back 🔙
heavy_plus_sign ➕ heavy_minus_sign ➖ heavy_division_sign ➗ arrow_up ⬆️ arrow_down ⬇️ arrow_left ⬅️
arrow_right ➡️ arrow_forward ▶️ arrow_backward ◀️ leftwards_arrow_with_hook ↩️ arrow_right_hook ↪️
arrows_counterclockwise 🔄 repeat 🔁 rewind ⏪ fast_forward ⏩ double_vertical_bar ⏸️ pause_button ⏸️
black_square_for_stop ⏹️ red_circle 🔴 large_orange_circle 🟠 orange_circle 🟠 large_yellow_circle 🟡
yellow_circle 🟡 large_green_circle 🟢 green_circle 🟢 large_blue_circle 🔵 blue_circle 🔵 white_circle ⚪
black_circle ⚫ white_large_square ⬜ black_large_square ⬛ small_blue_diamond 🔹 small_orange_diamond 🔸
zero 0️⃣ one 1️⃣ two 2️⃣ three 3️⃣ four 4️⃣ five 5️⃣ six 6️⃣ seven 7️⃣ eight 8️⃣ nine 9️⃣ keycap_ten 🔟 hash #️⃣
checkered_flag 🏁 triangular_flag_on_post 🚩 white_flag 🏳️ rainbow-flag 🏳️‍🌈
`;

const words = table.trim().split(/\s+/);
/** @type {Map<string, string>} */
const emojis = new Map();
for (let index = 0; index < words.length; index += 2) emojis.set(words[index], words[index + 1]);

/**
 * A text with the emoji that are written by their names, such as `:tada:`. A server's own ones, as
 * `<:name:1>`, become their names; unknown names stay as they are.
 *
 * @param {string} text
 */
export function showEmoji(text) {
  return text
    .replace(/<a?(:\w{2,32}:)\d{1,20}>/g, '$1')
    .replace(/:([\w+-]{1,40}):/g, (written, name) => emojis.get(name) ?? written);
}
