import { suggestName } from "../../../kernel/nearest-name.ts";
import { acceptOutputs, type DeclaredOutput, type Output } from "../outputs.ts";
import type { Finding } from "../types.ts";
import type { Script } from "./read-script.ts";
import { directiveWords } from "./words.ts";

const PREFIX = /^#SPILLWAY(?=\s|$)/;

/**
 * The outputs that a script declares, one on each line before its first command, as the fields of a job file:
 * `#SPILLWAY output name=model path=out/model kind=model`. sbatch reads such a line as a comment.
 */
export function readOutputs({ lines, bodyAt }: Script, findings: Finding[]): Output[] {
	const declared: DeclaredOutput[] = [];
	for (const [index, text] of lines.entries()) {
		if (!PREFIX.test(text)) continue;
		const line = index + 1;
		const entry = index > bodyAt ? "Move it before the first command." : entryOf(text.replace(PREFIX, ""));
		if (typeof entry === "string") findings.push({ line, kind: "question", subject: text.slice(0, 60), text: entry });
		else declared.push({ line, entry });
	}
	return acceptOutputs(declared, findings);
}

/** The fields of a line, or why it declares no output. */
function entryOf(text: string): DeclaredOutput["entry"] | string {
	const { words, unclosed } = directiveWords(text);
	if (unclosed) return "A quote is not closed. Close it.";
	const [what = "", ...fields] = words;
	if (what !== "output") return `Only outputs can be declared in a script. ${suggestName(what, ["output"])}`;
	const pairs = fields.map((word): [string, string | null] => {
		const at = word.indexOf("=");
		return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
	});
	const twice = pairs.find(([name], i) => pairs.findIndex(([other]) => other === name) < i);
	return twice ? `${twice[0].slice(0, 60)} is set twice. Remove one.` : Object.fromEntries(pairs);
}
