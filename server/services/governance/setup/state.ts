import { eq } from "drizzle-orm";
import { z } from "zod";
import { SETUP_STEPS, setupCompanyInput, skipStepInput } from "#server/contract/inputs/setup.ts";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { policy } from "#server/db/schema/policy.ts";
import { setting } from "#server/db/schema/setting.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar, setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { readLockedSetting, writeSetting } from "#server/services/core/setting.ts";

const KEY = "setup";

export type SetupStep = (typeof SETUP_STEPS)[number];
export type StepState = "open" | "done" | "skipped";

const stored = z.object({
	/** Number of first administrators so far; each one changes the set-up code. */
	round: z.number().int().default(0),
	steps: z.partialRecord(z.enum(SETUP_STEPS), z.enum(["done", "skipped"])).default({}),
});
type Stored = z.output<typeof stored>;

async function readStored(db: DbOrTx): Promise<Stored | null> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEY));
	return row ? stored.parse(row.value) : null;
}

async function readLocked(tx: Tx): Promise<Stored> {
	return stored.parse((await readLockedSetting(tx, KEY)) ?? {});
}

/** Increases with each first administrator. */
export async function setupRound(db: DbOrTx): Promise<number> {
	return (await readStored(db))?.round ?? 0;
}

/** Records that the set-up code of this round was used, which starts the remaining steps. */
export async function startSetup(tx: Tx, round: number): Promise<void> {
	await writeSetting(tx, KEY, { steps: (await readLocked(tx)).steps, round: round + 1 });
}

export interface SetupView {
	/** Whether it was set up through the set-up page or command; false for the demo and for older installations. */
	isStarted: boolean;
	steps: Record<SetupStep, StepState>;
	/** Time zone of the ledger's days and months. */
	zone: string;
	teams: string[];
}

/** Completed and remaining steps. Teams and policies made elsewhere count as done. */
export async function getSetup(ctx: ServiceContext): Promise<SetupView> {
	authorize(ctx, "account:manage", null);
	const [value, teams, policies, calendar] = await Promise.all([
		readStored(ctx.db),
		ctx.db.select({ name: team.name }).from(team).orderBy(team.name),
		ctx.db.select({ name: policy.name }).from(policy).limit(1),
		ledgerCalendar(ctx.db),
	]);
	const steps = value?.steps ?? {};
	return {
		isStarted: value !== null,
		steps: {
			company: steps.company ?? "open",
			team: teams.length > 0 ? "done" : (steps.team ?? "open"),
			policy: policies.length > 0 ? "done" : (steps.policy ?? "open"),
		},
		zone: calendar.zone,
		teams: teams.map(({ name }) => name),
	};
}

/** Saves the company's time zone. @throws SpillwayError `invalid_input`; `conflict` after the first charge; `forbidden`; ZodError */
export async function saveCompany(ctx: ServiceContext, raw: z.input<typeof setupCompanyInput>): Promise<{ zone: string }> {
	authorize(ctx, "account:manage", null);
	const { zone } = setupCompanyInput.parse(raw);
	await setLedgerZone(ctx, zone);
	await markStep(ctx, "company", "done");
	return { zone };
}

/** Leaves a step for later; Settings and the set-up page still offer it. @throws SpillwayError `forbidden`; ZodError */
export async function skipStep(ctx: ServiceContext, raw: z.input<typeof skipStepInput>): Promise<{ step: SetupStep }> {
	authorize(ctx, "account:manage", null);
	const { step } = skipStepInput.parse(raw);
	await markStep(ctx, step, "skipped");
	return { step };
}

async function markStep(ctx: ServiceContext, step: SetupStep, state: "done" | "skipped"): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const before = await readLocked(tx);
		if (before.steps[step] === state) return;
		await writeSetting(tx, KEY, { ...before, steps: { ...before.steps, [step]: state } });
		await writeAudit(tx, ctx, {
			action: "setup.step",
			subject: `setup:${step}`,
			before: { state: before.steps[step] ?? "open" },
			after: { state },
		});
	});
}
