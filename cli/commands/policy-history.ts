import { policy as policyContract } from "#server/contract/policy.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { exactTime } from "../render/format.ts";
import { table } from "../render/table.ts";
import type { Diff, Version } from "../response-types.ts";

const LOG_MAX = 10;

/** The difference between two texts: a sentence for each rule, or its lines. */
export function changesText({ changes, lines }: Diff, byLine: boolean): string {
	if (lines.every((run) => run.kind === "same")) return "No differences.\n";
	if (byLine || changes === null) {
		const sign = { same: " ", removed: "-", added: "+" };
		return `${lines.flatMap((run) => shortened(run).map((line) => `${sign[run.kind]} ${line}`)).join("\n")}\n`;
	}
	if (changes.length === 0) return "The text differs, but the rules are the same.\n";
	const text = (side: { sentence: { text: string }[] } | null) => oneLine(side?.sentence.map((s) => s.text).join("") ?? "");
	return changes
		.map(({ kind, id, before, after }) => {
			const title = `${kind} ${id}\n`;
			if (kind === "changed") return `${title}  - ${text(before)}\n  + ${text(after)}\n`;
			return `${title}  ${kind === "removed" ? "-" : kind === "added" ? "+" : " "} ${text(after ?? before)}\n`;
		})
		.join("");
}

/** Three unchanged lines of context on either side. */
function shortened({ kind, lines }: Diff["lines"][number]): string[] {
	if (kind !== "same" || lines.length <= 7) return lines;
	return [...lines.slice(0, 3), "…", ...lines.slice(-3)];
}

const inForceSince = (v: Version) => v.publications.at(-1)?.at ?? v.createdAt;

export async function versions({ io, client, json }: CommandContext, name: string): Promise<ExitCode> {
	const answer = await client.get(`/policies/${encodeURIComponent(name)}/versions`);
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, nextBefore } = readAs(policyContract.versions.output, answer, "list of versions");
	io.out(
		table(
			io,
			[
				{ head: "VERSION", cell: (v) => `v${v.version}`, right: true },
				{ head: "", cell: (v) => (v.inForce ? "in force" : "") },
				{ head: "PUBLISHED", cell: (v) => exactTime(Date.parse(inForceSince(v))) },
				{ head: "BY", cell: (v) => oneLine(v.authorName) },
				{ head: "FROM", cell: (v) => (v.baseVersion === null ? "" : `v${v.baseVersion}`) },
				{ head: "MESSAGE", cell: (v) => oneLine(v.message) },
			],
			items,
			{ empty: "No version published yet." },
		),
	);
	if (nextBefore !== null) io.out(`older versions: GET /policies/${name}/versions?before=${nextBefore}\n`);
	return EXIT.done;
}

/** The latest versions, each with its changes from its base version. */
export async function log({ io, client, json }: CommandContext, name: string): Promise<ExitCode> {
	const at = `/policies/${encodeURIComponent(name)}`;
	const answer = await client.get(`${at}/versions`, { limit: LOG_MAX });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	for (const v of readAs(policyContract.versions.output, answer, "list of versions").items) {
		io.out(`v${v.version}${v.inForce ? ", in force" : ""}\n`);
		for (const p of v.publications) {
			const second = p.approvedByName === null ? "" : `, approved by ${oneLine(p.approvedByName)}`;
			io.out(
				`  ${p.kind === "rollback" ? "rolled back to" : "published"} ${exactTime(Date.parse(p.at))} by ${oneLine(p.byName)}${second}\n`,
			);
		}
		io.out(`  ${oneLine(v.message)}\n`);
		if (v.baseVersion === null) continue;
		const diff = readAs(policyContract.diff.output, await client.get(`${at}/diff`, { from: v.baseVersion, to: v.version }), "diff");
		io.out(changesText(diff, false).replace(/^(?=.)/gm, "    "));
	}
	return EXIT.done;
}
