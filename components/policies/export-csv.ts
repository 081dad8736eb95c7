import { csvText } from "#server/kernel/csv.ts";
import type { VersionView } from "./params.ts";
import type { RuleGroup } from "./rules.ts";

/** The active policy's sentences as CSV; defaults have no lines. */
export function rulesCsv(version: number, groups: readonly RuleGroup[]): string {
	const lines = groups.flatMap(({ heading, cards }) =>
		cards.map(({ id, sentence, lines }) => [
			...[String(version), heading, id, sentence.map((part) => part.text).join("")],
			...(lines ? [String(lines.from), String(lines.to)] : ["", ""]),
		]),
	);
	return csvText([["Version", "Group", "Rule", "Description", "First line", "Last line"], ...lines]);
}

/** Versions as CSV with the last activation, if any. */
export function versionsCsv(versions: readonly VersionView[]): string {
	const written = ["Version", "Active", "Message", "Author", "Created (UTC)"];
	const published = [
		"Activated (UTC)",
		"By",
		"Method",
		"Approved by",
		"Backtest",
		"Reason without backtest",
		"Repository",
		"File",
		"Commit",
	];
	const lines = versions.map((v) => {
		const last = v.publications.at(-1);
		const git = v.origin?.kind === "git" ? v.origin : null;
		return [
			...[String(v.version), v.inForce ? "yes" : "no", v.message, v.authorName, v.createdAt],
			...[
				last?.at ?? "",
				last?.byName ?? "",
				last?.kind ?? "",
				last?.approvedByName ?? "",
				last?.backtestId ?? "",
				last?.noBacktestReason ?? "",
			],
			...[git?.repository ?? "", git?.path ?? "", git?.commit ?? ""],
		];
	});
	return csvText([[...written, ...published], ...lines]);
}
