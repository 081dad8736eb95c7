import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { SETUP_STEPS, setupCompanyInput, skipStepInput } from "#server/contract/inputs/setup.ts";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { job } from "#server/db/schema/job.ts";
import { policy } from "#server/db/schema/policy.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { store } from "#server/db/schema/store.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
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
	clusters: string[];
	clouds: string[];
	stores: string[];
}

/** Completed and remaining steps. What was set up elsewhere counts as done. */
export async function getSetup(ctx: ServiceContext): Promise<SetupView> {
	authorize(ctx, "account:manage", null);
	const [value, teams, policies, sites, stores, calendar] = await Promise.all([
		readStored(ctx.db),
		ctx.db.select({ name: team.name }).from(team).orderBy(team.name),
		ctx.db.select({ name: policy.name }).from(policy).limit(1),
		ctx.db
			.select({ id: site.id, name: site.name, provider: site.provider })
			.from(site)
			.where(isNull(site.removedAt))
			.orderBy(asc(site.name)),
		ctx.db.select({ name: store.name }).from(store).where(isNull(store.removedAt)).orderBy(asc(store.name)),
		ledgerCalendar(ctx.db),
	]);
	const clusters = sites.filter(({ provider }) => !isCloudProvider(provider));
	const clouds = sites.filter(({ provider }) => isCloudProvider(provider));
	const tested = await Promise.all([clusters, clouds].filter((some) => some.length > 0).map((some) => hasSucceeded(ctx.db, some)));
	const isTested = tested.length > 0 && tested.every(Boolean);
	const state = (step: SetupStep, isDone = false): StepState => (isDone ? "done" : (value?.steps[step] ?? "open"));
	return {
		isStarted: value !== null,
		steps: {
			company: state("company"),
			team: state("team", teams.length > 0),
			cluster: state("cluster", clusters.length > 0),
			cloud: state("cloud", clouds.length > 0),
			store: state("store", stores.length > 0),
			policy: state("policy", policies.length > 0),
			test: state("test", isTested),
		},
		zone: calendar.zone,
		teams: teams.map(({ name }) => name),
		clusters: clusters.map(({ name }) => name),
		clouds: clouds.map(({ name }) => name),
		stores: stores.map(({ name }) => name),
	};
}

/** Whether any job has succeeded at one of the sites. */
async function hasSucceeded(db: DbOrTx, sites: readonly { id: string }[]): Promise<boolean> {
	const atOne = inArray(
		sql`${job.placement}->>'siteId'`,
		sites.map(({ id }) => id),
	);
	const rows = await db
		.select({ id: job.id })
		.from(job)
		.where(and(atOne, eq(job.state, "succeeded")))
		.limit(1);
	return rows.length > 0;
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
