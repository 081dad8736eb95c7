// Words that read like a translation, and what to write in their place. docs/writing.md is the standard; this list enforces
// the part of it that a program can check. Each pattern matches whole words, in any case.

/** @type {{pattern: string, use: string}[]} */
export const WORD_LIST = [
	{ pattern: "told|untold", use: "reported, shown, notified, logged" },
	{ pattern: "tells?(?! (?:\\w+ ){0,3}apart)|telling(?! (?:\\w+ ){0,3}apart)", use: "reports, shows, returns, describes" },
	{ pattern: "speaks? of|spoken of|spoke of", use: "mention, describe, refer to" },
	{ pattern: "nobody", use: "no one, no user, nothing; or name who: no caller, no job" },
	{ pattern: "whoever", use: "callers that, anyone who" },
	{ pattern: "anew|once more", use: "again, or a verb with re-: re-run, rebuild" },
	{ pattern: "of which|of whom|whose", use: "two sentences, or with/where" },
	{ pattern: "whom", use: "who, or name them" },
	{ pattern: "dearer", use: "more expensive" },
	{ pattern: "dearest", use: "most expensive" },
	{
		pattern:
			"stands?(?= (?:in|on|at|there|here|beside|by|before|after|above|below|behind|under|over|with|as|so|first|last|alone|still)\\b)",
		use: "is, is in, appears, is next to",
	},
	{ pattern: "stood", use: "was, was in, appeared" },
	{ pattern: "counts? at once", use: "takes effect immediately" },
	{ pattern: "who may not", use: "callers without <permission> get 403" },
	{ pattern: "(?:is|are|was|were) to be|(?:is|was) to do|(?:is|was) to have", use: "must, can, needs to" },
	{ pattern: "reckon(?:s|ed|ing)?", use: "estimate, compute, count" },
	{ pattern: "weigh(?:s|ed|ing)?", use: "count as, rank as, compare" },
	{ pattern: "of (?:its|their|his|her|one's|our) own|of ours|of theirs", use: "its own, our, their" },
	{ pattern: "for good(?! measure)|for ever|for evermore", use: "permanently, forever, without limit" },
	{ pattern: "(?:is|are|was|were|be|been) gone", use: "was deleted, no longer exists, has ended" },
	{ pattern: "(?:is|are|was|were|be) away", use: "is unavailable" },
	{ pattern: "(?:gives?|gave|given|giving) back", use: "release, return" },
	{ pattern: "(?:takes?|took|taken|taking) back", use: "reclaim (spot), undo, withdraw" },
	{ pattern: "the foot of", use: "footer, end" },
	{ pattern: "leaves? it so|left so", use: "keep as is" },
	{ pattern: "mend(?:s|ed|ing)?", use: "fix" },
	{ pattern: "(?:a )?words? about|a sentence on|asks? for a word", use: "note, message, explanation" },
	{ pattern: "in vain", use: "without success, and name what failed" },
	{ pattern: "belongs? together|belonging together", use: "match" },
	{ pattern: "thereby|wherein|whereof|thereof|whence|lest|henceforth|withal", use: "plain words: so, where, so that" },
	{ pattern: "nought|naught|aught", use: "zero, nothing, anything" },
	{ pattern: "is all well|all is well", use: "all clear" },
];
