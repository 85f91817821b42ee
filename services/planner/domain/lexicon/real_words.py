"""English words that look like a misspelt word of the grammar and are none: "moist" is not "most".

Every word of an English dictionary (that of pyspellchecker, under the MIT licence) that
`typos.nearest` would take for another, were it not here. A new word among its `CORRECTED` may need
more of them.
"""

from __future__ import annotations

REAL_WORDS = frozenset(
    """
abode abort abut acreages aerates aeriest afters alter aprils apter aril aster augusta augusts
avenges averaged averagely averroes bath bellow beth blow booth bosh botch botha bothy bots bott
bottoms broth bushiest busies bustiest cheapen cheapens cheaper cheapish cheapness chewiest
cleanest clearest coffined coined combated combed combine combiner combiners combines combing
combings comines commines commixed commons communed compadre compared comparer compares compiled
confined congelation correction correctly correlating correlational correlations correlative
corrugation counts county court cowbind cunt currant currency currents dabs dads dags dahs dairy
dais daisy daks dally dams daring daws deceiver decembers decemvir decimation dedication
deferent deflation dentation depiction deration derivation deviating deviations deviator
devotion dies differed difference differentia differently differing diffident diffluent disjunct
displays distance distant distich distincter distinctly distract distributing distributional
distributions distributive distributor district divination dobs docs doer doers doges dogs doily
doles dols domes dons dopes dose doses doss dotes dots doves dozes drays drily drys duding dues
duping dyes earless earlier earliness earnest earthiest earthliest easiest eeriest eery emery
esther etch ether ever evert excepts excerpt excessive expansile expansive expense expensively
explosive expressive expulsive extensile extensive fattest feer fend fever fiend finds fine
fined fink finn fino fins firs firsts fist fond form frequented frequenter frequently frequents
fridays froe frog fromm frow fund gave gibe gide gite given giver gives grates gravest grayest
greases greasiest greaten greater greatness greats greaves greenest greyest gyve hade hake hale
halve hame hare hate havel haven haver haves havre haze haziest headiest headrest heartiest
heave heaves heavier heavies heaviness heavyset heftiest hightest hive hoariest hoars hoers
horus hour houri houris hove jane jube jude judy juke junes jung junk juno jury jute lamest
larges largess lase lash lass lasts latent lats laxest leapt leas lease leash lees legs leis
leks lens leos lesa lest lets leys lift lilt lint lisa lisp lists liszt loess loss lost lust
mach macy mana mandy mane mangy mani manky manly mann mans manx marc marche marci marco marcs
marcy mare marsh mary massing mast match maximums mazy mead meal means meant meany meat medan
media medial medians mediant medias medina megan melian mere messing mich midian minimums
minimus minium minuets minuses minute minuted minuter minutest mire mist misting misusing moan
moat mode moet moire moist moke mole molt mondays mont monte montes monty moore moot mope mora
morea morel mores morn moro mors morse mort mosh moss mote moth moths mots mott moue mouth
mouths move muck mulch munch mure mush mussing must myst name named namer napes nares nates
naves neper nevers newer nimes nonmember novembers nuder numbed numbers octobers odder oddest
oder odes oily older omer orderer orders orly oven overalls overs overt oyer papular parentage
percentages percentiles percents percept perceptible perceptive poplar quakers quarrels
quarriers quartered quartern quarterns quartersaw quartet quartets quartics quartos quarts
quavers quilters quitters racked raked ranged ranker ranket rankled ranted recant recency
recenter recept recreantly reentry regent relent repent resent reticently sallet sallets sallust
saltest saturdays scaliest scare scow septembers shade shake shale shame shane shape shard
shared sharer shares shari shark sharp sharpe sharpest shave shaw shew shill shire shirtiest
shoa shod shoe shoo shop shore shores short shortcut shorted shorten shortens shorter shorties
shortish shortlist shortness shorts shot showa showiest shown shows showy sill sine singe skill
slow smaller smallish smallness smalls smartest smelliest smollett snare snort snorted snow soft
softest soot sora sorb sorbed sore sorest sori sorn sorta sorter sortied sorts sotted spaniard
spare spill sport sported sportiest stablest staggard stalest stall standards stander standers
stanford stannary stanzaed stare stile stillest stills stilly stilt stoutest stow stull sturdy
sunda sundae sundas sundays sundry swellest swill tall teal teat tells telly tels tether thad
thai thana thane thanh thank thant thar thaw thebe thee theirs theme then therm therme these
thin three thun thursdays till toll tonal topical tother tran tuesdays tull twat udder uniquer
untie valance valiance valiancy variable variances variant variants variate veery very weak
weakly wednesdays weed weeds ween weens weep weeps weer wees were wham whap whats wheat whee
wheen whens wheres whet whew whey whim whin whish whit whoa whole whomp whop whore whoso width
wien wish witch wite withe withy wits witt wren wyat yeah yeahs yean yeans yearn yearns yeas
yeats younger youngish
""".split()
)
