/**
 * Words that carry meaning but appear in texts on any subject. They help to rank passages, but they
 * say little about whether a passage answers. In the folded form of `tokenize`, before stemming.
 */
const englishText = `
able accept account across act action activity actual actually add age ago agree allow almost alone
along already always amount amounts answer answers anyone anything appear apply area areas around
arrive ask away back bad base based basic become becomes became began beginning begin begun behind
believe belong best better big bit book bring broad brought build building built buy call called
calls came care carry case cases cause caused causes certain chance change changed changes check
choose city clear close closed collect come comes coming common company compare complete consider
considered contain contains continue control copy correct cost could country countries course
create created current currently cut day days deal decide deep define defined depend describe
described detail details develop developed die died differ difference different direct discover
discovered done door double drive due early earn easy effect effective end ended enough enter entire
especially event events exact exactly example examples exist explain express eye face fact fail fall
family famous far fast feel fell field figure fill final finally find fine finish first five follow
followed following food force form former found founded four free full further future general good
great group groups grow grown guide half hand handle happen happened happens hard head hear heard held
high history hold home hope hour hours house human idea ideas imagine important improve include
included including increase information interest involve involved issue item items job join keep kept
key kind kinds knew know known language large largest last late later lead leading learn learned least
leave led left less letter level life light likely limit line list little live lived lives local
locate located location long longer look lose lost lot low made main make makes making man manage
many mark matter mean meaning means meant meet member members men mention mentioned method middle
mind minute minutes month months mostly move moved name named names nature near nearly never new next
night nobody normal nothing notice number numbers occur occurred offer office often old open
opening order origin original outside page paid paper part particular parts pass past pay people
percent perform perhaps period person piece place places plan play point points popular position
possible power practice prepare present press problem problems process produce produced program
proper provide public pull purpose push put question questions quick quickly raise range reach read
ready real really reason reasons receive recent recently recommend record reduce refer regard region
related relation release released remain remember remove report represent require required rest result
results return right rise role room rule run same saw say says school second section see seem seen
sell send sense sent separate serve service set several shape short show shown shows side sign
significant similar simple simply since single sit situation six size small social someone something
sometimes soon sort sound source sources space speak special specific spend spread stand standard
stands start started state states stay step steps still stop stopped story strong study stuff style
subject support suppose sure system table take taken takes talk tell ten term terms test text third
three time times title today together tomorrow took top total toward towards town travel tried true
try turn turned two type types understand unit usual usually value variety various view visit voice
wait walk watch water way ways week weeks well went whole wide wish woman women word words work
worked working works world write written wrong wrote year years yesterday young
`;

const germanText = `
anfang anzahl art artikel beginn beginnen beispiel bekannt bekommen benutzen bereits besser beste bisher
bleiben brauchen bringen denken eigentlich einfach ende ersten erste erklaren fall fangen finden folgen
frage fragen fuhren ganz gehen genau genug gerade geschichte gleich gross grosse grund gruppe gut heissen
heisst heute hoch immer jahr jahre kennen kommen lang lange lassen leben letzte liegt machen mehr meisten
mensch menschen moglich monat name nehmen neu neue nennen oft ort problem richtig sache sagen schnell
schon seit seite sehen spater stehen stelle stunde tag tage teil tun verschiedene verwenden viele
wichtig wirklich wissen woche wort zahl zeigen zeit zuerst
`;

export const commonWords: ReadonlySet<string> = new Set(
  `${englishText} ${germanText}`.split(/\s+/u).filter((word) => word !== ''),
);
