/** A museum: its rules by topic, questions about each in words that need not be the rules' own, and others. */
export interface Museum {
  rules: Record<string, string>;
  questions: [question: string, topic: string][];
  offTopic: string[];
}

/** By language. */
export const museums: Record<string, Museum> = {
  German: {
    rules: {
      opening:
        'Das Museum öffnet täglich um neun Uhr und schließt um achtzehn Uhr. Montags bleibt es geschlossen.',
      price:
        'Der Eintritt kostet acht Euro. Für Schüler und Rentner gibt es ermäßigte Karten zu fünf Euro.',
      dogs: 'Hunde dürfen nicht in die Ausstellungsräume. Blindenführhunde sind ausgenommen.',
      photos:
        'Fotografieren ist ohne Blitz erlaubt. Stative müssen an der Garderobe abgegeben werden.',
      history: 'Das Gebäude wurde 1897 vom Architekten Jürgen Größ als Straßenbahndepot gebaut.',
      cafe: 'Im Café im Erdgeschoss gibt es Kuchen, Suppen und Getränke.',
    },
    questions: [
      ['Wann öffnet das Museum?', 'opening'],
      ['Ist es montags geschlossen?', 'opening'],
      ['Wie viel kostet der Eintritt?', 'price'],
      ['Gibt es eine Ermäßigung für Schüler?', 'price'],
      ['Darf mein Hund mit?', 'dogs'],
      ['Darf ich mit Blitz fotografieren?', 'photos'],
      ['Wer baute das Gebäude?', 'history'],
      ['Welcher Architekt war Groess oder Größ?', 'history'],
      ['Wo bekomme ich Getränke?', 'cafe'],
      ['wo gibt es kuchen im cafe', 'cafe'],
    ],
    offTopic: [
      'Wie hoch ist der Eiffelturm?',
      'Wie wird das Wetter morgen?',
      'Wer hat die Relativitätstheorie entdeckt?',
      'Wie setze ich mein Passwort zurück?',
    ],
  },
  French: {
    rules: {
      opening:
        'Le musée ouvre tous les jours à neuf heures et ferme à dix-huit heures. Il est fermé le lundi.',
      price:
        'L’entrée coûte huit euros. Les élèves et les retraités paient un tarif réduit de cinq euros.',
      dogs: 'Les chiens ne sont pas admis dans les salles, sauf les chiens d’aveugle.',
      photos: 'Les photographies sans flash sont autorisées. Déposez les trépieds au vestiaire.',
      history:
        'Le bâtiment a été construit en 1897 par l’architecte Hélène Béranger comme dépôt de tramways.',
      cafe: 'Au café du rez-de-chaussée on sert des gâteaux, des soupes et des boissons.',
    },
    questions: [
      ['À quelle heure ouvre le musée ?', 'opening'],
      ['le musee est-il ferme le lundi', 'opening'],
      ['Combien coûte l’entrée ?', 'price'],
      ['Quel est le tarif réduit pour un élève ?', 'price'],
      ['Mon chien est-il admis ?', 'dogs'],
      ['Puis-je prendre une photographie avec flash ?', 'photos'],
      ['Qui a construit le bâtiment ?', 'history'],
      ['Qui est Helene Beranger ?', 'history'],
      ['Où trouver une boisson ?', 'cafe'],
      ['Y a-t-il un gateau au cafe ?', 'cafe'],
    ],
    offTopic: [
      'Quelle est la hauteur de la tour Eiffel ?',
      'Quel temps fera-t-il demain ?',
      'Qui a découvert la relativité ?',
      'Comment réinitialiser mon mot de passe ?',
    ],
  },
  Japanese: {
    rules: {
      opening: '博物館は毎日午前九時に開館し、午後六時に閉館します。月曜日は休館日です。',
      price: '入場料は八百円です。学生と高齢者は五百円の割引料金になります。',
      dogs: '犬を展示室に入れることはできません。ただし盲導犬は入れます。',
      photos: 'フラッシュなしの写真撮影は許可されています。三脚はクロークに預けてください。',
      history: 'この建物は1897年に建築家の佐藤健一が路面電車の車庫として建てました。',
      cafe: '一階のカフェではケーキ、スープ、飲み物を提供しています。',
    },
    questions: [
      ['博物館は何時に開館しますか。', 'opening'],
      ['月曜日は休みですか。', 'opening'],
      ['入場料はいくらですか。', 'price'],
      ['学生の割引はありますか。', 'price'],
      ['犬を連れて入れますか。', 'dogs'],
      ['写真を撮ってもいいですか。', 'photos'],
      ['フラッシュは使えますか。', 'photos'],
      ['この建物を建てた建築家は誰ですか。', 'history'],
      ['カフェはどこにありますか。', 'cafe'],
      ['飲み物は買えますか。', 'cafe'],
    ],
    offTopic: [
      'エッフェル塔の高さは何メートルですか。',
      '明日の天気はどうですか。',
      '相対性理論を発見したのは誰ですか。',
      'パスワードを忘れました。どうすればいいですか。',
    ],
  },
  Chinese: {
    rules: {
      opening: '博物馆每天上午九点开放,下午六点关闭。星期一闭馆。',
      price: '门票八十元。学生和老年人可以购买五十元的优惠票。',
      dogs: '狗不得进入展厅,导盲犬除外。',
      photos: '允许不用闪光灯拍照。三脚架必须寄存在衣帽间。',
      history: '这座建筑由建筑师王建国于1897年建成,原为电车车库。',
      cafe: '一楼的咖啡馆供应蛋糕、汤和饮料。',
    },
    questions: [
      ['博物馆几点开放?', 'opening'],
      ['星期一开门吗?', 'opening'],
      ['门票多少钱?', 'price'],
      ['学生有优惠吗?', 'price'],
      ['可以带狗进入展厅吗?', 'dogs'],
      ['我的狗能进去吗?', 'dogs'],
      ['可以用闪光灯吗?', 'photos'],
      ['谁是这座建筑的建筑师?', 'history'],
      ['咖啡馆在哪里?', 'cafe'],
      ['哪里可以买饮料?', 'cafe'],
    ],
    offTopic: ['埃菲尔铁塔有多高?', '明天天气怎么样?', '谁发现了相对论?', '我忘记了密码怎么办?'],
  },
  Russian: {
    rules: {
      opening:
        'Музей открывается в девять часов и закрывается в шесть часов вечера. По понедельникам музей закрыт.',
      price: 'Билет стоит восемь евро. Студенты и пенсионеры платят пять евро.',
      dogs: 'Собаки в залы не допускаются, кроме собак-поводырей.',
      photos: 'Снимать без вспышки разрешено. Штативы сдают в гардероб.',
      history: 'Здание построил в 1897 году архитектор Юрий Грос как трамвайное депо.',
      cafe: 'В кафе на первом этаже есть новые пироги, супы и напитки.',
    },
    questions: [
      ['Когда открывается музей?', 'opening'],
      ['Музей закрыт в понедельник?', 'opening'],
      ['Сколько стоит билет?', 'price'],
      ['Сколько платит студент?', 'price'],
      ['Можно прийти с собакой?', 'dogs'],
      ['Можно ли снимать со вспышкой?', 'photos'],
      ['Куда сдать штатив?', 'photos'],
      ['Кто построил здание?', 'history'],
      ['В каком году было построено здание?', 'history'],
      ['Где купить напитки?', 'cafe'],
    ],
    offTopic: [
      'Сколько стоит новый телефон?',
      'Когда открывается аптека?',
      'Кто открыл пенициллин?',
      'Какая завтра погода?',
    ],
  },
  Spanish: {
    rules: {
      opening: 'El museo abre a las nueve y cierra a las seis de la tarde. Los lunes no abre.',
      price: 'La entrada cuesta ocho euros. Los estudiantes y los jubilados pagan cinco euros.',
      dogs: 'No se admiten perros en las salas, salvo los perros guía.',
      photos: 'Se permite fotografiar sin flash. Los trípodes se dejan en el guardarropa.',
      history: 'El edificio fue construido en 1897 por el arquitecto Julián Prats como cochera.',
      cafe: 'En el nuevo café de la planta baja hay pasteles, sopas y bebidas.',
    },
    questions: [
      ['¿Cuándo abre el museo?', 'opening'],
      ['¿Abre los lunes?', 'opening'],
      ['¿Cuánto cuesta la entrada?', 'price'],
      ['¿Cuánto pagan los estudiantes?', 'price'],
      ['¿Se admiten perros?', 'dogs'],
      ['¿Puedo usar el flash?', 'photos'],
      ['¿Dónde dejo el trípode?', 'photos'],
      ['¿Quién fue el arquitecto?', 'history'],
      ['¿En qué año fue construido el edificio?', 'history'],
      ['¿Dónde hay bebidas?', 'cafe'],
    ],
    offTopic: [
      '¿Cuánto cuesta un teléfono nuevo?',
      '¿Cuándo abre la farmacia?',
      '¿Quién descubrió la penicilina?',
      '¿Qué tiempo hará mañana?',
    ],
  },
};
