import { csvText } from "#components/csv/csv.ts";
import type { VersionView } from "./params.ts";
import type { RuleGroup } from "./rules.ts";

/** The policy in force as its sentences; one that stands for a default has no lines in the text. */
export function rulesCsv(version: number, groups: readonly RuleGroup[]): string {
	const lines = groups.flatMap(({ heading, cards }) =>
		cards.map(({ id, sentence, lines }) => [
			...[String(version), heading, id, sentence.map((part) => part.text).join("")],
			...(lines ? [String(lines.from), String(lines.to)] : ["", ""]),
		]),
	);
	return csvText([["Version", "Group", "Rule", "What it says", "From line", "To line"], ...lines]);
}

/** The versions as they are listed, each with the last time that it was put in force; one that never was has none. */
export function versionsCsv(versions: readonly VersionView[]): string {
	const written = ["Version", "In force", "Message", "Author", "Written (UTC)"];
	const published = ["Put in force (UTC)", "By", "How", "Agreed to by", "Backtest", "Repository", "File", "Commit"];
	const lines = versions.map((v) => {
		const last = v.publications.at(-1);
		const git = v.origin?.kind === "git" ? v.origin : null;
		return [
			...[String(v.version), v.inForce ? "yes" : "no", v.message, v.authorName, v.createdAt],
			...[last?.at ?? "", last?.byName ?? "", last?.kind ?? "", last?.approvedByName ?? "", last?.backtestId ?? ""],
			...[git?.repository ?? "", git?.path ?? "", git?.commit ?? ""],
		];
	});
	return csvText([[...written, ...published], ...lines]);
}
