import { suggestName } from "../../../kernel/nearest-name.ts";
import type { Finding } from "../types.ts";
import { longOption, SBATCH_OPTIONS, type SbatchOption, shortOption } from "./options.ts";
import { directiveWords } from "./words.ts";

export interface Directive {
	line: number;
	option: SbatchOption;
	/** "" for an option without a value. */
	value: string;
}

export interface Script {
	/** The words after `#!`. */
	interpreter: string[];
	directives: Directive[];
	/** All lines, without line endings. */
	lines: string[];
	/** Index into `lines` of the first command; lines.length if there is none. */
	bodyAt: number;
	findings: Finding[];
}

/** Maximum number of directives in a script. No hand-written script has more. */
export const MOST_DIRECTIVES = 1_000;

/**
 * Reads a batch script as sbatch does: directives are the `#SBATCH` lines before the first command. Never throws: what
 * sbatch would reject becomes a question.
 */
export function readScript(text: string): Script {
	const findings: Finding[] = [];
	const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
	if (lines.at(-1) === "") lines.pop();
	if (/\r/.test(text))
		findings.push({
			line: 1,
			kind: "changed",
			subject: "DOS line endings",
			text: "Read as Unix line endings; sbatch would reject them.",
		});
	const found = lines.findIndex((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
	const bodyAt = found < 0 ? lines.length : found;
	const directives: Directive[] = [];
	let count = 0;
	for (const [index, text] of lines.entries()) {
		if (!/^#(SBATCH|PBS|BSUB)\b/.test(text)) continue;
		const line = index + 1;
		if (!text.startsWith("#SBATCH")) {
			if (index < bodyAt)
				findings.push({
					line,
					kind: "dropped",
					subject: text.slice(0, 60),
					text: "A directive for another batch system; only #SBATCH is read.",
				});
			continue;
		}
		if (index > bodyAt) {
			findings.push({
				...{ line, kind: "dropped", subject: text.slice(0, 60) },
				text: "Directives after the first command are ignored, as by sbatch.",
			});
			continue;
		}
		if (++count > MOST_DIRECTIVES) continue;
		directives.push(...readDirective(text.slice("#SBATCH".length), line, findings));
	}
	if (count > MOST_DIRECTIVES)
		findings.push({
			...{ line: bodyAt, kind: "question", subject: `${count} directives` },
			text: `Only the first ${MOST_DIRECTIVES} were read. Remove those you do not need.`,
		});
	const first = lines[0] ?? "";
	// Otherwise prose, a log or the middle of a script would be submitted as commands.
	if (!first.startsWith("#!") && count === 0 && lines.some((line) => line.trim() !== ""))
		findings.push({
			...{ line: 1, kind: "question", subject: "This does not look like a batch script" },
			text: "The first line does not start with #! and there is no #SBATCH before the first command, so sbatch would reject it. Paste the whole file, or keep it as is to run it with /bin/bash.",
		});
	return { interpreter: first.startsWith("#!") ? first.slice(2).trim().split(/\s+/) : [], directives, lines, bodyAt, findings };
}

function readDirective(text: string, line: number, findings: Finding[]): Directive[] {
	const refuse = (subject: string, why: string): void =>
		void findings.push({
			line,
			kind: "question",
			subject,
			text: `${why} sbatch would reject the script; correct or remove the directive.`,
		});
	const { words, unclosed } = directiveWords(text);
	if (unclosed) refuse(`#SBATCH${text.slice(0, 60)}`, "A quote is not closed.");
	const directives: Directive[] = [];
	for (let i = 0; i < words.length; i++) {
		const word = words[i] ?? "";
		if (word === "hetjob" || word === "packjob") {
			findings.push({
				...{ line, kind: "question", subject: "Heterogeneous job" },
				text: "A job has equal nodes. Submit the parts as separate jobs; only the last part was read.",
			});
			continue;
		}
		const parsed = word.startsWith("--")
			? readLong(word.slice(2))
			: word.startsWith("-") && word.length > 1
				? readShort(word.slice(1))
				: null;
		if (parsed === null) {
			refuse(word.slice(0, 60), "Not an option.");
			continue;
		}
		if ("problem" in parsed) {
			refuse(word.slice(0, 60), parsed.problem);
			continue;
		}
		const { option } = parsed;
		let { value } = parsed;
		if (value === null && option.value === "needed") {
			const next = words[i + 1];
			if (next === undefined) {
				refuse(word, `--${option.name} needs a value.`);
				continue;
			}
			value = next;
			i++;
		}
		directives.push({ line, option, value: value ?? "" });
	}
	return directives;
}

type Parsed = { option: SbatchOption; value: string | null } | { problem: string };

function readLong(text: string): Parsed {
	const at = text.indexOf("=");
	const name = at < 0 ? text : text.slice(0, at);
	const option = longOption(name);
	if (option === null) {
		const names = SBATCH_OPTIONS.map((o) => o.name);
		const hint = suggestName(name, names);
		return { problem: `There is no option --${name.slice(0, 60)}.${hint.startsWith("Did") ? ` ${hint}` : ""}` };
	}
	if (Array.isArray(option)) return { problem: `--${name} is ambiguous: ${option.map((n) => `--${n}`).join(", ")}.` };
	if (!("name" in option)) return { problem: `There is no option --${name.slice(0, 60)}.` };
	if (at >= 0 && option.value === "none") return { problem: `--${option.name} takes no value.` };
	return { option, value: at < 0 ? null : text.slice(at + 1) };
}

/** `-N4`, `-N 4`; letters without a value may be combined. */
function readShort(text: string): Parsed {
	const option = shortOption(text[0] ?? "");
	if (!option) return { problem: `There is no option -${text[0] ?? ""}.` };
	const rest = text.slice(1);
	if (option.value === "none" && rest !== "") return { problem: `-${option.short ?? ""} takes no value.` };
	return { option, value: rest === "" ? null : rest.replace(/^=/, "") };
}
