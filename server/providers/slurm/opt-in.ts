import type { OwnersCheckpoints } from "../foreign-queue.ts";

/**
 * What an owner writes as `--comment` to allow a job to run elsewhere: `spillway`, followed by options separated by spaces,
 * commas, colons or semicolons.
 */
const OPT_IN = /^spillway(?=$|[\s:;,])/;
const BETWEEN = /[\s:;,]+/;

interface OwnersWords {
	/** `args`: none of its script's arguments contains a space or is empty. */
	argsAreWords: boolean;
	/** `noargs`: its script has no arguments. */
	hasNoArgs: boolean;
	/** `checkpoints=FOLDER`, and `every=DURATION`; null: not given. */
	checkpoints: OwnersCheckpoints | null;
	/** Sentences for the owner about invalid options. */
	problems: string[];
}

export function isOptIn(comment: string): boolean {
	return OPT_IN.test(comment);
}

/** A comment that does not opt in gives nothing. Unknown words belong to the owner and are ignored. */
export function ownersWords(comment: string): OwnersWords {
	const words = isOptIn(comment) ? comment.split(BETWEEN).slice(1) : [];
	const wordAfter = (key: string) => words.findLast((word) => word.startsWith(key))?.slice(key.length) ?? null;
	const named = wordAfter("checkpoints=");
	const interval = wordAfter("every=");
	const folder = named === null ? null : folderBelow(named);
	const problems =
		named !== null && folder === null
			? [
					`Its comment sets the checkpoint folder ${JSON.stringify(named)}, which is not inside its working folder. Use a relative path such as checkpoints=ckpt.`,
				]
			: [];
	const checkpoints = folder === null ? null : { path: folder, ...(interval === null ? {} : { interval }) };
	return { argsAreWords: words.includes("args"), hasNoArgs: words.includes("noargs"), checkpoints, problems };
}

/** null unless it is certainly a folder below another. */
function folderBelow(name: string): string | null {
	const parts = name.split("/").filter((part) => part !== "" && part !== ".");
	return name.startsWith("/") || parts.length === 0 || parts.includes("..") || /[^\w./+@-]/.test(name) ? null : parts.join("/");
}
