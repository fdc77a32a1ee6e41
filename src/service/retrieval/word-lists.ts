import { toStem } from './stem.ts';

/**
 * Words that carry no subject of their own, in the folded form of `tokenize`. Question words are among
 * them, because answering handles what they ask for. A word that another language needs, alone or as
 * part of a name, is left out ("die", "war", "son", "quelle", "de").
 */
const englishStopText = `
a about above after again against all also am an and any are aren as at be because been before being
below between both but by can cannot could couldn did didn do does doesn doing don down during each
either else ever every few for from further get gets getting give gives given go goes going got had
hadn has hasn have haven having he hello help hence her here hers herself hey hi him himself his how
however i if in instead into is isn it its itself just kindly know let like ll ll may me might mine more
most much must my myself need needs no nor not now of off ok okay on once one only onto or other our
ours ourselves out over own per please quite rather re really same shall she should shouldn since so
some such tell thank thanks than that the their theirs them themselves then there these they thing
things this those though through thus to too under until unto up upon us use used uses using ve very
via want wants was wasn we well were weren what whatever when where whether which while who whom whose
why will with within without won would wouldn yes yet you your yours yourself yourselves s t d m
`;

const germanStopText = `
ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf
aus bei bis bist bitte da damit dann das dass dein deine deinem deinen deiner dem denn der des
dich diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines
er es etwas euch euer eure fur gegen gibt hab habe haben hallo hatte hatten hier hin ich ihm ihn
ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kannst
kein keine keinem keinen keiner konnen konnte machen man mein meine meinem meinen meiner mich mir mit
muss mussen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich
sie sind so solche soll sollen sollte sondern sonst uber um und uns unser unsere unter viel vom von vor
wann waren warum was weg weil welche welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso
wobei wodurch wofur wogegen womit woran worauf woraus worin worum wovon wozu will wir wird wirst wissen wo wohl wollen worden wurde wurden zu zum zur zwar zwischen
`;

const frenchStopText = `
a afin ai aie ainsi alors apres au aucun aucune aussi autre autres aux avant avec avez avoir avons
ce cela celle celles celui ces cet cette ceux chaque chez ci combien comme d dans depuis des dois
doit donc dont du elle elles en encore entre es est et etaient etait ete etes etre eux faire faut il
ils j je jusque l laquelle le lequel les lesquels leur leurs lors lui m mais me meme memes moi moins
ne ni nos notre nous on ont ou par parce parmi pas pendant peut peux plus plutot pour pourquoi puis
puisque quand que quels qui quoi s sa se selon ses si sinon soit sont suis sur t
ta te tes toi toute toutes tres tu un une va veut voici voila vos votre vous y
`;

const russianStopText = `
а без более больше бы был была были было быть в вам вас ваш весь во вот все всего всех вы где да даже для
до его ее если есть еще же за здесь и из или им их к как какая какие каким какими каких какого какое какои каком какому какую каков какова ко когда который которая которое которые которых кого кому кто куда ли либо меня
мне может можно мои мы на над надо нам нас наш не него нее нет ни них но ну нужно о об он она они оно от
откуда очень по под после почему при про раз с сам свои свою своих себя сеичас сколько со так такая также такие такое такои
там тебя тем теперь то тогда того тоже только том тот ты у уже чего чем через что чтобы чье эта эти этих
это этого этои этом этот эту я является являются
`;

const spanishStopText = `
al algo algun alguna algunas algunos antes aqui asi aun aunque bien cada como con contra cual cuales
cualquier cuando cuanta cuantas cuanto cuantos del desde donde dos durante el ella ellas ellos entre
eran eres es esa esas ese eso esos esta estaba estan estar estas este esto estos estoy fue fueron ha habia
hace hacer hacia han hasta hay la las les lo los mas mi mientras mucha muchas mucho muchos muy nada ni
ningun ninguna nos nosotros nuestra nuestro o otra otras otro otros para pero poco por porque puede pueden
puedo pues que quien quienes se ser si sido siempre sino sobre su sus tambien tanto te
tengo tiene tienen toda todas todo todos tras tu tus un una unas uno unos usted ustedes y ya yo
`;

const otherStopText = `
alla alle anche ancora che ci col con cosa cui da dal dalla degli dei del della delle dello
di e ed era essere fra gli ha hanno il in io l la le lei li lo loro lui ma mi molto ne nei nel nella
nelle non ogni perche piu po puo qual quale quali quando quanta quante quanti quanto quella quello
questa queste questi questo qui se senza si sia sono sua sue sul sulla suo suoi tra tutti tutto un una uno
ao aos aquela aquele ate da das depois dos ela ele eles em entao esse essa esta este eu foi foram
isso isto ja mais mas muito na nao nas no nos num numa o ou para pela pelo por porque qual quais
quando quantas quantos que quem sao sem ser seu seus sua suas tambem tem um uma umas uns voce
aan al bij dan dat deze dit een en er geen heb hebben heeft het hij hoe hoeveel hun ik ja
je kan kunnen maar mijn moet naar niet nog nu of om omdat onder ons onze ook op over te u uit
veel voor waar waarom wanneer wat welke werd wie wij wordt worden zal ze zich zij zijn zo zou
`;

/**
 * Words that carry meaning but appear in texts on any subject. They have no token for their end. In the
 * folded form of `tokenize`.
 */
const englishCommonText = `
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
key kind kinds knew known language large largest last late later lead leading learn learned least
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

const germanCommonText = `
anfang anzahl art artikel beginn beginnen beispiel bekannt bekommen benutzen bereits besser beste bisher
bleiben brauchen bringen denken eigentlich einfach ende ersten erste erklaren fall fangen finden folgen
frage fragen fuhren ganz gehen genau genug gerade geschichte gleich gross grosse grund gruppe gut hat heissen
heisst heute hoch immer jahr jahre kennen kommen lang lange lassen leben letzte liegt machen mehr meisten
mensch menschen moglich monat name nehmen neu neue nennen oft ort problem richtig sache sagen schnell
schon seit seite sehen spater stehen stelle stunde tag tage teil tun verschiedene verwenden viele
wichtig wirklich woche wort zahl zeigen zeit zuerst
`;

const spanishCommonText = `
abre abrir agua ahora ano anos antiguo ayuda ayudar buena bueno busca buscar cambia cambiar cantidad causa cerrar
cierra ciudad comienza comprar conocida conocido cosa cosas crea crear cuesta cuestan dar debe deben decir dia dias
diferente diferentes ejemplo empezar empieza encontrar encuentra entender escribe escribio escribir explica fecha
forma funciona gente gran grande grandes grupo historia hizo hombre hora horas hoy importante inicio ir larga largo
lista llama llamaba llaman llamar llega llegar llego lleva llevar lugar manana manera mayoria medio mejor menor mes
meses minuto minutos momento mujer mundo nombre nombres nueva nuevas nuevo nuevos numero ocurre ocurrio pais paises
palabra parte partes pasa pasar pequena pequeno persona personas poner posible precio pregunta primer primera primero
problema proceso produce punto queda razon recibe recibir respuesta sabe saber salir segunda segundo semana semanas
siglo significa sigue sirve tamano tarda termina tiempo tipo tipos toma tomar trabaja trabajar trabajo trae traer
trajeron trajo ultima ultimo unico usar varios veces vende vender ver vez vida viene vive vivir
`;

/** One form of each; the others have its stem. */
const russianCommonText = `
бывает важныи век взять вид видеть вода вопрос время второи выбрать главныи говорить год город давать данныи дать
делать дело день держать дом другои жизнь завтра закрывается закрывать закрыть знать идти известныи изменить иметь имя
использовать количество конец купить лучшии люди маленькии менять место месяц минута мир много назвать называется
называть наити написать находится находиться начало начался начать начинается начинать неделя новыи номер нужныи
область общии объяснить один описать ответ открывается открывать открыть первыи писать получать получить помогать
помочь последнии появилась появились появился появиться правильныи приити пример принять причина проблема продать
происходить работа работать разныи результат сегодня сказать следующии слово случаи случиться снова создать состоит
способ становиться старыи стать степень стоит сторона страна строить считается считать тип узнать условие хорошии
хотеть цель цена час часть человек число
`;

/** Words of Chinese that join others or ask; the single ones are hardly ever part of a longer word. */
export const chineseParticles =
  '为什么 可以 哪里 哪儿 怎么 怎样 什么 多少 是否 能否 如何 请问 有没有 的 了 吗 呢 吧 是 我 你 您 他 她 它 们 这 那 很 没 请 哪 谁 几';

export const toWordSet = (words: string): ReadonlySet<string> =>
  new Set(words.trim().split(/\s+/u));

export const englishStopWords = toWordSet(englishStopText);
export const germanStopWords = toWordSet(germanStopText);
export const stopWords = toWordSet(
  [
    englishStopText,
    germanStopText,
    frenchStopText,
    russianStopText,
    spanishStopText,
    otherStopText,
  ].join(' '),
);

/** Texts are indexed by these, too: a new one of seven letters or more needs a new `tokensVersion`. */
export const commonWords = toWordSet(`${englishCommonText} ${germanCommonText}`);
const spanishCommonWords = toWordSet(spanishCommonText);
const russianCommonStems = new Set([...toWordSet(russianCommonText)].map(toStem));

/** Whether a word carries meaning, but appears in texts on any subject. */
export function isCommon(word: string): boolean {
  return (
    commonWords.has(word) || spanishCommonWords.has(word) || russianCommonStems.has(toStem(word))
  );
}
