import { policy as policyContract } from "#server/contract/policy.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { count, money } from "../render/format.ts";
import { table } from "../render/table.ts";

/** Lists what each rule did in the last 30 days. */
export async function effects({ io, client, json }: CommandContext, name: string): Promise<ExitCode> {
	const answer = await client.get(`/policies/${encodeURIComponent(name)}/effects`);
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { version, from, to, placements, truncated, rules } = readAs(policyContract.effects.output, answer, "list of effects");
	const of = `${truncated ? "the latest " : ""}${count(placements, "placement")}`;
	io.out(`Version ${version}, ${from.slice(0, 10)} to ${to.slice(0, 10)}, from ${of}\n\n`);
	io.out(
		table(
			io,
			[
				{ head: "RULE", cell: (r) => oneLine(r.ruleId) },
				{ head: "JOBS", cell: (r) => String(r.jobs), right: true },
				{ head: "PLACES EXCLUDED", cell: (r) => String(r.places), right: true },
				{ head: "CHANGED", cell: (r) => String(r.changed), right: true },
				{ head: "COST", cell: (r) => (r.costMicroUsd === null ? "" : money(r.costMicroUsd)), right: true },
				{ head: "SENT", cell: (r) => String(r.sent), right: true },
			],
			rules,
			{ empty: "The policy has no rules." },
		),
	);
	return EXIT.done;
}
