/**
 * Words that carry no subject of their own, in the folded form of `tokenize`. Question words are among
 * them: what they ask for is the answerer's business. What one language needs as a word of its own, or
 * as part of a name, stays out of the others' lists ("die", "war", "son", "quelle", "de").
 */
const englishText = `
a about above after again against all also am an and any are aren as at be because been before being
below between both but by can cannot could couldn did didn do does doesn doing don down during each
either else ever every few for from further get gets getting give gives given go goes going got had
hadn has hasn have haven having he hello help hence her here hers herself hey hi him himself his how
however i if in instead into is isn it its itself just kindly let like ll ll may me might mine more
most much must my myself need needs no nor not now of off ok okay on once one only onto or other our
ours ourselves out over own per please quite rather re really same shall she should shouldn since so
some such tell thank thanks than that the their theirs them themselves then there these they thing
things this those though through thus to too under until unto up upon us use used uses using ve very
via want wants was wasn we well were weren what whatever when where whether which while who whom whose
why will with within without won would wouldn yes yet you your yours yourself yourselves s t d m
`;

const germanText = `
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf
aus bei bis bist bitte da damit dann das dass dein deine deinem deinen deiner dem denn der des
dich diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines
er es etwas euch euer eure fur gegen gibt hab habe haben hallo hatte hatten hier hin ich ihm ihn
ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kannst
kein keine keinem keinen keiner konnen konnte machen man mein meine meinem meinen meiner mich mir mit
muss mussen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich
sie sind so solche soll sollen sollte sondern sonst uber um und uns unser unsere unter viel vom von vor
wann waren warum was weg weil welche welchem welchen welcher welches wenn wer werde werden wie wieder
will wir wird wirst wo wohl wollen worden wurde wurden zu zum zur zwar zwischen
`;

const frenchText = `
a afin ai aie ainsi alors apres au aucun aucune aussi autre autres aux avant avec avez avoir avons
ce cela celle celles celui ces cet cette ceux chaque chez ci combien comme d dans depuis des dois
doit donc dont du elle elles en encore entre es est et etaient etait ete etes etre eux faire faut il
ils j je jusque l laquelle le lequel les lesquels leur leurs lors lui m mais me meme memes moi moins
ne ni nos notre nous on ont ou par parce parmi pas pendant peut peux plus plutot pour pourquoi puis
puisque quand que quels qui quoi s sa se selon ses si sinon soit sont suis sur t
ta te tes toi toute toutes tres tu un une va veut voici voila vos votre vous y
`;

/** Words of Chinese that join others or ask; the single ones are hardly ever part of a longer word. */
export const chineseParticles =
  '为什么 可以 哪里 哪儿 怎么 怎样 什么 多少 是否 能否 如何 请问 有没有 的 了 吗 呢 吧 是 我 你 您 他 她 它 们 这 那 很 没 请 哪 谁 几';

export const toWordSet = (words: string): ReadonlySet<string> =>
  new Set(words.trim().split(/\s+/u));

export const englishStopWords = toWordSet(englishText);
export const germanStopWords = toWordSet(germanText);
export const stopWords = toWordSet(`${englishText} ${germanText} ${frenchText}`);
