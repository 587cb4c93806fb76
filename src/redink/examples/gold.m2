S Last year I moved at a city where the winter is staying for six month .
A 4 5|||R:PREP|||to|||REQUIRED|||-NONE-|||0
A 10 12|||R:VERB:TENSE|||stays|||REQUIRED|||-NONE-|||0
A 14 15|||R:NOUN:NUM|||months|||REQUIRED|||-NONE-|||0
A 4 5|||R:PREP|||to|||REQUIRED|||-NONE-|||1
A 10 12|||R:VERB|||lasts|||REQUIRED|||-NONE-|||1
A 14 15|||R:NOUN:NUM|||months|||REQUIRED|||-NONE-|||1

S In my country we have only two seasons , the hot one and the realy hot one .
A 14 15|||R:SPELL|||really|||REQUIRED|||-NONE-|||0
A 14 15|||R:SPELL|||really|||REQUIRED|||-NONE-|||1

S So I arrive in October with three T-shirt , one pair of sandal and a lot of optimism .
A 2 3|||R:VERB:TENSE|||arrived|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN|||T-shirts|||REQUIRED|||-NONE-|||0
A 12 13|||R:NOUN:NUM|||sandals|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:TENSE|||arrived|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN|||T-shirts|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:NUM|||sandals|||REQUIRED|||-NONE-|||1

S My landlady , Mrs. Novak , look at my suitecase and laughed during one whole minute .
A 6 7|||R:VERB:TENSE|||looked|||REQUIRED|||-NONE-|||0
A 9 10|||R:SPELL|||suitcase|||REQUIRED|||-NONE-|||0
A 12 13|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||looked|||REQUIRED|||-NONE-|||1
A 9 10|||R:SPELL|||suitcase|||REQUIRED|||-NONE-|||1
A 12 13|||R:PREP|||for|||REQUIRED|||-NONE-|||1

S " You will need a coat , " she said , " and an other one for over the coat . "
A 13 15|||R:ORTH|||another|||REQUIRED|||-NONE-|||0
A 13 15|||R:ORTH|||another|||REQUIRED|||-NONE-|||1
A 18 19|||R:DET|||that|||REQUIRED|||-NONE-|||1

S I thought that she joke .
A 4 5|||R:VERB:TENSE|||was joking|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:TENSE|||was joking|||REQUIRED|||-NONE-|||1

S She did not joking .
A 1 2|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1

S The first snow fall on a Tuesday , while I wait the tram .
A 3 4|||R:VERB:TENSE|||fell|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:TENSE|||was waiting|||REQUIRED|||-NONE-|||0
A 11 11|||M:PREP|||for|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:TENSE|||fell|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:TENSE|||was waiting|||REQUIRED|||-NONE-|||1
A 11 11|||M:PREP|||for|||REQUIRED|||-NONE-|||1

S I had never saw snow before , so I opened my mouth like child .
A 3 4|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||0
A 13 13|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:FORM|||seen|||REQUIRED|||-NONE-|||1
A 13 13|||M:DET|||a|||REQUIRED|||-NONE-|||1

S A man besides me said that the snow of the city do not taste well .
A 2 3|||R:PREP|||beside|||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||0
A 14 15|||R:ADJ|||good|||REQUIRED|||-NONE-|||0
A 2 3|||R:PREP|||beside|||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||1
A 14 15|||R:ADJ|||good|||REQUIRED|||-NONE-|||1

S He was rigth , but I was too happy for listen .
A 2 3|||R:SPELL|||right|||REQUIRED|||-NONE-|||0
A 9 10|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||right|||REQUIRED|||-NONE-|||1
A 9 10|||R:PART|||to|||REQUIRED|||-NONE-|||1

S After two weeks the snow was not beautiful no more .
A 8 9|||R:OTHER|||any|||REQUIRED|||-NONE-|||0
A 8 10|||R:ADV|||anymore|||REQUIRED|||-NONE-|||1

S It was grey , it was wet , and it was coming into my shoes .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 10 12|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||1

S I leart that a person can fall down in many differents ways .
A 1 2|||R:SPELL|||learnt|||REQUIRED|||-NONE-|||0
A 10 11|||R:MORPH|||different|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||learnt|||REQUIRED|||-NONE-|||1
A 10 11|||R:MORPH|||different|||REQUIRED|||-NONE-|||1

S You can fall slow , with time for think about your life .
A 3 4|||R:MORPH|||slowly|||REQUIRED|||-NONE-|||0
A 7 8|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 3 4|||R:MORPH|||slowly|||REQUIRED|||-NONE-|||1
A 7 8|||R:PART|||to|||REQUIRED|||-NONE-|||1

S You can fall quick , and then the sky is suddendly in front of you .
A 3 4|||R:MORPH|||quickly|||REQUIRED|||-NONE-|||0
A 10 11|||R:SPELL|||suddenly|||REQUIRED|||-NONE-|||0
A 3 4|||R:MORPH|||quickly|||REQUIRED|||-NONE-|||1
A 10 11|||R:SPELL|||suddenly|||REQUIRED|||-NONE-|||1

S The childrens of my street never fall .
A 1 2|||R:SPELL|||children|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||children|||REQUIRED|||-NONE-|||1

S They walks on the ice as if it is a carpet .
A 1 2|||R:VERB:SVA|||walk|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:TENSE|||were|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||walk|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1

S One of it , a girl with seven years , gave me an advice .
A 2 3|||R:PRON|||them|||REQUIRED|||-NONE-|||0
A 12 13|||R:DET|||some|||REQUIRED|||-NONE-|||0
A 2 3|||R:PRON|||them|||REQUIRED|||-NONE-|||1
A 6 7|||R:PREP|||of|||REQUIRED|||-NONE-|||1
A 12 13|||R:DET|||some|||REQUIRED|||-NONE-|||1

S " Walk like a penguin , " she explained me , and she showed how .
A 9 9|||M:PREP|||to|||REQUIRED|||-NONE-|||0
A 9 9|||M:PREP|||to|||REQUIRED|||-NONE-|||1
A 14 14|||M:PRON|||me|||REQUIRED|||-NONE-|||1

S Since that day I am walking like a penguin , and I did not fall again .
A 4 5|||R:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:FORM|||walked|||REQUIRED|||-NONE-|||0
A 12 13|||R:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:FORM|||fallen|||REQUIRED|||-NONE-|||0
A 4 6|||R:VERB:TENSE|||walk|||REQUIRED|||-NONE-|||1
A 12 13|||R:VERB:TENSE|||have|||REQUIRED|||-NONE-|||1
A 14 15|||R:VERB:FORM|||fallen|||REQUIRED|||-NONE-|||1

S In December the sun goes to home at four o'clock .
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||1

S In the begining this made me sadly , because I am used to work in the light .
A 2 3|||R:SPELL|||beginning|||REQUIRED|||-NONE-|||0
A 6 7|||R:MORPH|||sad|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:FORM|||working|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||beginning|||REQUIRED|||-NONE-|||1
A 6 7|||R:MORPH|||sad|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB:FORM|||working|||REQUIRED|||-NONE-|||1

S But then I discover the windows .
A 3 4|||R:VERB:TENSE|||discovered|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:TENSE|||discovered|||REQUIRED|||-NONE-|||1

S When it is dark of outside , every window become a small theatre .
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:SVA|||becomes|||REQUIRED|||-NONE-|||0
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:SVA|||becomes|||REQUIRED|||-NONE-|||1

S Somebody is cooking soup , somebody teach a dog to give the paw , somebody plays piano badly .
A 6 7|||R:VERB:TENSE|||is teaching|||REQUIRED|||-NONE-|||0
A 16 16|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||is teaching|||REQUIRED|||-NONE-|||1
A 10 13|||R:OTHER|||shake hands|||REQUIRED|||-NONE-|||1

S I feeled less alone , even thought nobody knew that I was watching .
A 1 2|||R:VERB:INFL|||felt|||REQUIRED|||-NONE-|||0
A 6 7|||R:SPELL|||though|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:INFL|||felt|||REQUIRED|||-NONE-|||1
A 6 7|||R:SPELL|||though|||REQUIRED|||-NONE-|||1

S Mrs. Novak teached me to do dumplings , that is the best thing to make in the dark .
A 2 3|||R:VERB:INFL|||taught|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB|||make|||REQUIRED|||-NONE-|||0
A 8 9|||R:DET|||which|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:INFL|||taught|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB|||make|||REQUIRED|||-NONE-|||1
A 8 9|||R:DET|||which|||REQUIRED|||-NONE-|||1
A 14 15|||R:VERB|||do|||REQUIRED|||-NONE-|||1

S Now it is March , and the ice on the river is breaking with a noise like old furnitures .
A 18 19|||R:NOUN:INFL|||furniture|||REQUIRED|||-NONE-|||0
A 18 19|||R:NOUN:INFL|||furniture|||REQUIRED|||-NONE-|||1

S People say me that the winter was mild this year .
A 1 2|||R:VERB|||tell|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||tell|||REQUIRED|||-NONE-|||1

S I look them and I laugh during one whole minute .
A 2 2|||M:PREP|||at|||REQUIRED|||-NONE-|||0
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 2 2|||M:PREP|||at|||REQUIRED|||-NONE-|||1
A 6 7|||R:PREP|||for|||REQUIRED|||-NONE-|||1

S Next autum I will wait the new students at the station , with an coat in every hand .
A 1 2|||R:SPELL|||autumn|||REQUIRED|||-NONE-|||0
A 5 5|||M:PREP|||for|||REQUIRED|||-NONE-|||0
A 13 14|||R:DET|||a|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||autumn|||REQUIRED|||-NONE-|||1
A 5 5|||M:PREP|||for|||REQUIRED|||-NONE-|||1
A 13 14|||R:DET|||a|||REQUIRED|||-NONE-|||1

S I will not laugh .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I live in building with five floors and no elevator .
A 3 3|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 3 3|||M:DET|||a|||REQUIRED|||-NONE-|||1

S For two years I did not knew no one of my neighbours .
A 6 7|||R:VERB:FORM|||know|||REQUIRED|||-NONE-|||0
A 7 9|||R:OTHER|||any|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:FORM|||know|||REQUIRED|||-NONE-|||1
A 7 9|||R:OTHER|||any|||REQUIRED|||-NONE-|||1

S We said " good morning " on the stairs , and sometimes " good evening " , and that was all .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 12 12|||M:OTHER|||we said|||REQUIRED|||-NONE-|||1

S Everything has changed because of one onion .
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 1 2|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 5 6|||R:DET|||an|||REQUIRED|||-NONE-|||1

S On a Sunday I wanted cook lentils , the receipt of my grandmother , and I had not any onions .
A 5 5|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0
A 9 10|||R:NOUN|||recipe|||REQUIRED|||-NONE-|||0
A 17 18|||U:ADV||||||REQUIRED|||-NONE-|||0
A 18 19|||R:DET|||no|||REQUIRED|||-NONE-|||0
A 5 5|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||1
A 9 10|||R:NOUN|||recipe|||REQUIRED|||-NONE-|||1
A 16 17|||R:VERB|||did|||REQUIRED|||-NONE-|||1
A 18 18|||M:VERB|||have|||REQUIRED|||-NONE-|||1

S The shops was closed , so I took all my corage and knocked the door on the fourth floor .
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 10 11|||R:SPELL|||courage|||REQUIRED|||-NONE-|||0
A 13 13|||M:PREP|||on|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 10 11|||R:SPELL|||courage|||REQUIRED|||-NONE-|||1
A 13 13|||M:PREP|||on|||REQUIRED|||-NONE-|||1

S An old man open it .
A 3 4|||R:VERB:TENSE|||opened|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:TENSE|||opened|||REQUIRED|||-NONE-|||1

S I asked to him if he can lend me a onion .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||could|||REQUIRED|||-NONE-|||0
A 9 10|||R:DET|||an|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:TENSE|||could|||REQUIRED|||-NONE-|||1
A 9 10|||R:DET|||an|||REQUIRED|||-NONE-|||1

S He looked at me very serious and said that onions is not a thing what people lends .
A 5 6|||R:MORPH|||seriously|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 14 15|||R:PRON|||that|||REQUIRED|||-NONE-|||0
A 16 17|||R:VERB:SVA|||lend|||REQUIRED|||-NONE-|||0
A 5 6|||R:MORPH|||seriously|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||1
A 14 15|||R:PRON|||that|||REQUIRED|||-NONE-|||1
A 16 17|||R:VERB:SVA|||lend|||REQUIRED|||-NONE-|||1

S An onion is given , he said , and he gave me three .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S His name is Anselm , and he is living there since forty years .
A 7 8|||R:VERB:TENSE|||has|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:FORM|||lived|||REQUIRED|||-NONE-|||0
A 10 11|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB:TENSE|||has|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:FORM|||lived|||REQUIRED|||-NONE-|||1
A 10 11|||R:PREP|||for|||REQUIRED|||-NONE-|||1

S When the lentils was ready , I brang him a plate .
A 3 4|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB|||brought|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB|||brought|||REQUIRED|||-NONE-|||1

S It seem only polite thing to do .
A 1 2|||R:VERB:TENSE|||seemed|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||seemed|||REQUIRED|||-NONE-|||1
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||1

S The next Sunday he come down with a bread that was still hot .
A 4 5|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||0
A 7 8|||R:DET|||some|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||1
A 7 8|||R:DET|||some|||REQUIRED|||-NONE-|||1

S Than the family from the second floor smelled the bread , and there little son followed the smell up the stairs .
A 0 1|||R:SPELL|||Then|||REQUIRED|||-NONE-|||0
A 12 13|||R:DET|||their|||REQUIRED|||-NONE-|||0
A 0 1|||R:SPELL|||Then|||REQUIRED|||-NONE-|||1
A 12 13|||R:DET|||their|||REQUIRED|||-NONE-|||1
A 16 18|||R:OTHER|||it|||REQUIRED|||-NONE-|||1

S So now we are four who eats together every week , or six , or sometime eleven .
A 6 7|||R:VERB:SVA|||eat|||REQUIRED|||-NONE-|||0
A 15 16|||R:MORPH|||sometimes|||REQUIRED|||-NONE-|||0
A 2 3|||R:PRON|||there|||REQUIRED|||-NONE-|||1
A 5 5|||M:OTHER|||of us|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:SVA|||eat|||REQUIRED|||-NONE-|||1
A 15 16|||R:MORPH|||sometimes|||REQUIRED|||-NONE-|||1

S Each persons brings what he have .
A 1 2|||R:NOUN:NUM|||person|||REQUIRED|||-NONE-|||0
A 4 5|||R:PRON|||they|||REQUIRED|||-NONE-|||0
A 1 2|||R:NOUN:NUM|||person|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1

S Nobody plan it , and it is never missing something , except chairs .
A 1 2|||R:VERB:SVA|||plans|||REQUIRED|||-NONE-|||0
A 5 6|||R:OTHER|||nothing|||REQUIRED|||-NONE-|||0
A 7 8|||R:ADV|||ever|||REQUIRED|||-NONE-|||0
A 9 10|||U:NOUN||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||plans|||REQUIRED|||-NONE-|||1
A 5 6|||R:OTHER|||nothing|||REQUIRED|||-NONE-|||1
A 7 8|||R:ADV|||ever|||REQUIRED|||-NONE-|||1
A 9 10|||U:NOUN||||||REQUIRED|||-NONE-|||1

S I have a lot of informations about my neighbours now .
A 5 6|||R:NOUN:INFL|||information|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:INFL|||information|||REQUIRED|||-NONE-|||1

S I know who has a bad knee and who is afraid from spider .
A 11 12|||R:PREP|||of|||REQUIRED|||-NONE-|||0
A 12 13|||R:NOUN:NUM|||spiders|||REQUIRED|||-NONE-|||0
A 11 12|||R:PREP|||of|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN:NUM|||spiders|||REQUIRED|||-NONE-|||1

S I know that Mrs. Okafor which sings in the shower is in truth a opera singer .
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 5 6|||R:PRON|||who|||REQUIRED|||-NONE-|||0
A 10 10|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 13 14|||R:DET|||an|||REQUIRED|||-NONE-|||0
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 5 6|||R:PRON|||who|||REQUIRED|||-NONE-|||1
A 10 10|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 12 13|||R:NOUN|||fact|||REQUIRED|||-NONE-|||1
A 13 14|||R:DET|||an|||REQUIRED|||-NONE-|||1

S Cooking for the others it is not difficult , if you are not trying to be perfect .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 4 5|||U:PRON||||||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:TENSE|||do|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB:FORM|||try|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||1
A 4 5|||U:PRON||||||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:TENSE|||do|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB:FORM|||try|||REQUIRED|||-NONE-|||1

S You need a big pot , a patience and enought salt .
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 10|||R:SPELL|||enough|||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||1
A 9 10|||R:SPELL|||enough|||REQUIRED|||-NONE-|||1

S Specially you need salt .
A 0 1|||R:ADV|||Especially|||REQUIRED|||-NONE-|||0
A 0 1|||R:OTHER|||Above all ,|||REQUIRED|||-NONE-|||1

S Some of my friend ask me why I waste my Sundays to peel potatoes for strangers .
A 3 4|||R:NOUN:NUM|||friends|||REQUIRED|||-NONE-|||0
A 11 13|||R:VERB:FORM|||peeling|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||friends|||REQUIRED|||-NONE-|||1
A 11 13|||R:VERB:FORM|||peeling|||REQUIRED|||-NONE-|||1

S I answer that they are not strangers , they are just people which potatoes I did not peel yet .
A 12 13|||R:DET|||whose|||REQUIRED|||-NONE-|||0
A 15 16|||R:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 17 18|||R:VERB:FORM|||peeled|||REQUIRED|||-NONE-|||0
A 12 13|||R:DET|||whose|||REQUIRED|||-NONE-|||1
A 15 16|||R:VERB:TENSE|||have|||REQUIRED|||-NONE-|||1
A 17 18|||R:VERB:FORM|||peeled|||REQUIRED|||-NONE-|||1

S Last week Anselm was ill , and three days he could not come down .
A 7 7|||M:PREP|||for|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB|||got|||REQUIRED|||-NONE-|||1
A 7 7|||M:PREP|||for|||REQUIRED|||-NONE-|||1

S The first day there was four soups in front of his door .
A 4 5|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 0 1|||M:PREP|||On the|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1

S On the second day he wrote an note : please , no more soups , I need company .
A 6 7|||R:DET|||a|||REQUIRED|||-NONE-|||0
A 13 14|||R:NOUN:NUM|||soup|||REQUIRED|||-NONE-|||0
A 6 7|||R:DET|||a|||REQUIRED|||-NONE-|||1
A 13 14|||R:NOUN:NUM|||soup|||REQUIRED|||-NONE-|||1

S We went up all together , and somebody brang a onion .
A 8 9|||R:VERB|||brought|||REQUIRED|||-NONE-|||0
A 9 10|||R:DET|||an|||REQUIRED|||-NONE-|||0
A 3 4|||U:ADV||||||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB|||brought|||REQUIRED|||-NONE-|||1
A 9 10|||R:DET|||an|||REQUIRED|||-NONE-|||1

S If you will ask me what is it a home , I will say that it is place where you can knocking without a reason .
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 6 8|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 10 10|||M:VERB|||is|||REQUIRED|||-NONE-|||0
A 17 17|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 21 22|||R:VERB:FORM|||knock|||REQUIRED|||-NONE-|||0
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1
A 6 8|||U:OTHER||||||REQUIRED|||-NONE-|||1
A 10 10|||M:VERB|||is|||REQUIRED|||-NONE-|||1
A 17 17|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 21 22|||R:VERB:FORM|||knock|||REQUIRED|||-NONE-|||1

