import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { setting } from "#server/db/schema/setting.ts";
import type { AlertRules } from "#server/domain/alert-facts.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockSetting, writeSetting } from "#server/services/core/setting.ts";
import { changeSecondPerson, needsSecondPerson } from "#server/services/policy/second-person.ts";

const ALERTS = "alerts";

const alertSettings = z.strictObject({
	/** Percent of the cap, ascending. */
	thresholdsPercent: z
		.array(z.number().int().min(1).max(1_000))
		.max(10)
		.transform((list) => [...new Set(list)].sort((a, b) => a - b)),
	/** Days with less than this many dollars above normal are not anomalies. */
	anomalyFloorUsd: z.string().regex(/^\d{1,9}(\.\d{1,2})?$/, "must be an amount of dollars such as 100"),
});
const storedAlerts = alertSettings.partial();

const DEFAULTS = { thresholdsPercent: [50, 80, 100], anomalyFloorUsd: "100" };

export interface BudgetSettings {
	/** Whether a cap change requires approval by another person. */
	secondPerson: boolean;
	thresholdsPercent: number[];
	anomalyFloorUsd: string;
}

export async function readBudgetSettings(db: DbOrTx): Promise<BudgetSettings> {
	const [row] = await db.select().from(setting).where(eq(setting.key, ALERTS));
	const alerts = storedAlerts.parse(row?.value ?? {});
	return {
		secondPerson: await needsSecondPerson(db, "budgets"),
		thresholdsPercent: alerts.thresholdsPercent ?? DEFAULTS.thresholdsPercent,
		anomalyFloorUsd: alerts.anomalyFloorUsd ?? DEFAULTS.anomalyFloorUsd,
	};
}

export function alertRulesOf({ thresholdsPercent, anomalyFloorUsd }: BudgetSettings): AlertRules {
	return { thresholdsPercent, anomalyFloorMicroUsd: usdToMicro(anomalyFloorUsd) };
}

export async function viewBudgetSettings(ctx: ServiceContext): Promise<BudgetSettings> {
	authorize(ctx, "budget:read", null);
	return readBudgetSettings(ctx.db);
}

export const changeBudgetSettingsInput = alertSettings.partial().extend({ secondPerson: z.boolean().optional() });

/**
 * Changes alert thresholds and whether a cap needs a second person. Callers who may change caps may turn the requirement on. Only a
 * platform engineer may request to drop it, and another person, if there is one, must approve, so that no one can remove the check alone.
 * Returns the settings in effect.
 * @throws SpillwayError `forbidden`; ZodError.
 */
export async function changeBudgetSettings(
	ctx: ServiceContext,
	raw: z.input<typeof changeBudgetSettingsInput>,
): Promise<BudgetSettings & { proposalId: string | null }> {
	authorize(ctx, "budget:change", null);
	const { secondPerson, ...alerts } = changeBudgetSettingsInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		await lockSetting(tx, ALERTS);
		const before = await readBudgetSettings(tx);
		if (before.secondPerson && secondPerson === false && ctx.actor.kind === "person" && ctx.actor.role !== "platform") {
			throw new SpillwayError("forbidden", "Only platform engineers can turn off second-person approval of cap changes.", {
				fix: "Ask a platform engineer, or have the change approved.",
			});
		}
		const { secondPerson: now, ...rules } = before;
		const kept = { ...rules, ...withoutUndefined(alerts) };
		await writeSetting(tx, ALERTS, kept);
		await writeAudit(tx, ctx, { action: "budget.settings", subject: "budgets", before: rules, after: kept });
		const proposalId = await changeSecondPerson(tx, ctx, "budgets", secondPerson ?? now);
		await notify(tx, { changes: [{ topic: "policy", id: null, team: null }] });
		return { ...(await readBudgetSettings(tx)), proposalId };
	});
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
