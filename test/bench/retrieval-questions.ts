/** Questions that a history of the Normans does not answer, some in its own everyday words. */
export const offTopic = `
How do I reset my router?
What is the capital of Japan?
How many calories are in a banana?
Who won the football world cup in 2014?
Can you recommend a good restaurant in Lisbon?
What does the error "connection refused" mean?
How do I cancel my subscription?
What is the boiling point of nitrogen?
Why is the sky blue?
Who wrote the novel Moby Dick?
How do I install Python on Windows?
What is the exchange rate of the dollar to the yen?
When does the next train to Zurich leave?
How do I bake sourdough bread?
What is photosynthesis?
Who painted the Mona Lisa?
How tall is Mount Everest?
What are the side effects of ibuprofen?
How can I improve my typing speed?
What is the difference between TCP and UDP?
Which planet has the most moons?
How do I change the oil in my car?
What time does the pharmacy close?
Who invented the telephone?
How do vaccines work?
What is the population of Brazil?
How do I write a cover letter?
What is machine learning?
Which vitamins does spinach contain?
How much does a new bicycle cost?
Who discovered penicillin?
What is the refund policy?
How do I export my data as CSV?
When was the iPhone released?
What is the meaning of the word "serendipity"?
How far away is the moon?
Which programming language should I learn first?
What is the weather like tomorrow?
How do I unclog a drain?
Who is the president of the United States?
What causes earthquakes?
How long do you boil an egg?
What is the fastest animal on land?
How do I connect my headphones over Bluetooth?
Where can I buy concert tickets?
What is a black hole?
How do I train a puppy?
Which countries border Mongolia?
What is the tallest building in Dubai?
How do plants absorb water?
Who sings the song Bohemian Rhapsody?
What is the tax rate for freelancers?
How do I tie a bow tie?
Which stocks pay the highest dividends?
What is the plot of Inception?
How do I get a visa for Canada?
What is an isotope?
How many players are on a basketball team?
Who founded Microsoft?
What is the recipe for guacamole?
How do I remove coffee stains from a shirt?
When is the deadline for filing taxes?
What is quantum entanglement?
Which bus goes to the airport?
How do I configure two-factor authentication?
What is the largest ocean on Earth?
Who directed Jurassic Park?
How do I lower my blood pressure?
What is inflation in economics?
Which camera is best for beginners?
How do I grow tomatoes on a balcony?
What does DNA stand for?
How do I delete my account?
What is the speed of light?
Who was the first person on the moon?
How do noise cancelling headphones work?
What is the name of the largest desert?
Which people live longest?
How many days are there in a leap year?
What are your opening hours?
`
  .trim()
  .split('\n');

/** As above, never looked at while the answerer was tuned. */
export const offTopicHeldOut = `
How do I update my payment method?
What is the best way to learn guitar?
who is the ceo of google
What is the melting point of gold?
How do I make scrambled eggs?
Which vaccine do I need for Kenya?
What is the longest river in South America?
how do i fix a flat tire
Why do cats purr?
What is the Pythagorean theorem?
When does daylight saving time start?
Who composed The Magic Flute?
How many grams are in an ounce?
Where is the Great Barrier Reef?
What is the minimum wage?
How do I reset my password?
What does an octopus eat?
Who wrote Pride and Prejudice?
what is docker compose
How do I renew my passport?
Which gas do humans breathe out?
How old is the universe?
What is a mortgage?
how to get rid of ants
What is the currency of Thailand?
Who invented the light bulb?
How does a microwave oven heat food?
What is the score of the game last night?
Which tyres fit my car?
How do I back up my phone?
What is the chemical symbol for silver?
What is the largest mammal?
How do I write a for loop in JavaScript?
Where can I park near the stadium?
What is the plural of octopus?
How do I treat a sunburn?
What year did the Titanic sink?
Who is the author of Harry Potter?
What is your shipping policy?
How tall is the Eiffel Tower?
`
  .trim()
  .split('\n');
