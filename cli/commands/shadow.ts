import { shadowSchema } from "#server/contract/outputs/backtest.ts";
import type { Options } from "../args.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { readPolicyFile } from "../policy-file.ts";
import { about, count, exactTime } from "../render/format.ts";
import type { Shadow, ShadowChoice } from "../response-types.ts";

/** `spillway policy shadow [FILE]`, added by policy.ts. */
export const SHADOW_OPTIONS: Options = { stop: { help: "policy shadow: stop the running one" } };
export const SHADOW_EXAMPLE = "spillway policy shadow draft.yaml";

/** Number of differences listed; --json has all that the server returns. */
const LISTED = 10;

/** Starts a file's draft as a shadow of the policy in force, stops it, or shows the comparison so far. */
export async function runShadow({ client, io, json, args }: CommandContext, file: string | undefined, name: string): Promise<ExitCode> {
	const at = `/policies/${encodeURIComponent(name)}/shadow`;
	const answer = args.has("stop")
		? await client.post(`${at}/stop`)
		: file === undefined
			? await client.get(at)
			: await client.post(at, { source: (await readPolicyFile(file, io)).source });
	io.out(json ? `${answer.text}\n` : shadowText(readAs(shadowSchema, answer, "shadow")));
	return EXIT.done;
}

function shadowText(shadow: Shadow): string {
	const { baseVersion, startedAt, startedBy, stoppedAt, decided, agreed, differences } = shadow;
	const until = stoppedAt === null ? "" : `, until ${exactTime(Date.parse(stoppedAt))}`;
	const head = `A draft alongside version ${baseVersion} since ${exactTime(Date.parse(startedAt))}${until}, started by ${oneLine(startedBy)}. It only records.\n`;
	if (decided === 0) return `${head}No decisions yet.\n`;
	const share = ((agreed / decided) * 100).toFixed(agreed === decided ? 0 : 1);
	const money = `Cloud cost: version ${baseVersion} ${about(shadow.publishedMicroUsd)}, draft ${about(shadow.draftMicroUsd)}.\n`;
	const sums = `${head}They agree on ${agreed} of ${count(decided, "job")} (${share}%). ${money}`;
	if (differences.length === 0) return sums;
	const listed = differences
		.slice(0, LISTED)
		.map(({ name, team, published, draft }) =>
			[
				`${oneLine(name)} (${oneLine(team)})`,
				`  version ${baseVersion}: ${choiceText(published)}`,
				`  draft:     ${choiceText(draft)}`,
			].join("\n"),
		);
	const more = decided - agreed - listed.length;
	return `${sums}\nThe newest differences:\n${listed.join("\n")}\n${more > 0 ? `and ${more} more\n` : ""}`;
}

function choiceText({ sentence, costMicroUsd }: ShadowChoice): string {
	return `${oneLine(sentence)}${costMicroUsd === "0" ? "" : ` (${about(costMicroUsd)})`}`;
}
