import { approvalSchema, decidedApprovalSchema } from "#server/contract/outputs/approval.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { about, exactTime, label, money, NONE } from "../render/format.ts";
import { table } from "../render/table.ts";
import type { Approval } from "../response-types.ts";

export const approvals: Command = {
	name: "approvals",
	usage: "[grant ID [--up-to USD] | refuse ID] [--note TEXT]",
	summary: "list approval requests, and grant or refuse them",
	details:
		"Only a person with the role that the rule names can answer, and never for their own job. Approval covers the current estimate, or the amount given with --up-to. A refused job waits at home.",
	options: {
		past: { help: "list answered, withdrawn and expired requests" },
		"up-to": { value: "USD", help: "grant: highest expected cost of the run, in dollars" },
		note: { value: "TEXT", help: "grant, refuse: reason, shown to the requester" },
	},
	positionals: { min: 0, max: 2, name: "VERB ID" },
	examples: [
		"spillway approvals",
		"spillway approvals grant appr_01kaw3v0000000000000000000 --up-to 250",
		'spillway approvals refuse appr_01kaw3v0000000000000000000 --note "Wait for the night"',
	],
	async run(ctx) {
		const [verb, id] = ctx.args.positionals;
		if (verb === undefined) return list(ctx);
		if (verb !== "grant" && verb !== "refuse")
			throw badInput(`There is no "approvals ${verb}". There are: approvals, approvals grant ID, approvals refuse ID.`);
		if (id === undefined || id === "") throw badInput(`Name the approval, as "spillway approvals" lists it: spillway approvals ${verb} ID`);
		return answer(ctx, verb, id);
	},
};

const placeOf = ({ quote: { placement } }: Approval): string =>
	[placement.provider, placement.region, placement.instanceType].filter((part) => part !== null).join(" ");

function answerText({ state, upToMicroUsd, decidedBy, mayAnswer }: Approval): string {
	if (state === "open") return mayAnswer ? "needs your answer" : "pending";
	const said = state === "granted" && upToMicroUsd !== null ? `yes, up to ${money(upToMicroUsd)}` : state === "refused" ? "no" : state;
	return decidedBy === null ? said : `${said} (${decidedBy})`;
}

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { io } = ctx;
	const past = ctx.args.has("past");
	const response = await ctx.client.get("/approvals", { state: past ? "past" : "open" });
	if (ctx.json) {
		io.out(`${response.text}\n`);
		return EXIT.done;
	}
	io.out(
		table(
			io,
			[
				{ head: "APPROVAL", cell: (a) => a.id },
				{ head: "JOB", cell: (a) => a.job.name },
				{ head: "TEAM", cell: (a) => a.job.team },
				{ head: "BY", cell: (a) => a.job.submittedBy },
				{ head: "COST", cell: (a) => about(a.quote.costMicroUsd), right: true },
				{ head: "WHERE", cell: (a) => placeOf(a) || NONE },
				{ head: "RULE", cell: (a) => a.ruleId },
				{ head: "ASKS", cell: (a) => label(a.role) },
				{ head: "ANSWER", cell: answerText },
				{ head: past ? "ASKED" : "UNTIL", cell: (a) => exactTime(Date.parse(past ? a.requestedAt : a.expiresAt)) },
			],
			readAs(pageOf(approvalSchema), response, "list of approvals").items,
			{ empty: past ? "No approvals yet." : "No pending approvals." },
		),
	);
	return EXIT.done;
}

async function answer(ctx: CommandContext, verb: "grant" | "refuse", id: string): Promise<ExitCode> {
	const { io, args } = ctx;
	const upTo = args.text("up-to")?.replace(/^\$/, "").replaceAll(",", "");
	const note = args.text("note");
	if (verb === "refuse" && upTo !== undefined) throw badInput("--up-to is for grant: a refusal has no amount.");
	const response = await ctx.client.post(`/approvals/${encodeURIComponent(id)}/${verb}`, {
		...(upTo === undefined ? {} : { upToUsd: upTo }),
		...(note === undefined ? {} : { note }),
	});
	if (ctx.json) {
		io.out(`${response.text}\n`);
		return EXIT.done;
	}
	const done = readAs(decidedApprovalSchema, response, "answer");
	io.out(
		done.upToMicroUsd === null
			? `${done.jobId}  refused: the job waits at home\n`
			: `${done.jobId}  granted up to ${money(done.upToMicroUsd)}\n`,
	);
	return EXIT.done;
}
