import { and, eq, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { alert } from "#server/db/schema/alert.ts";
import type { AlertRule } from "#server/domain/alert.ts";
import type { AlertFinding } from "#server/domain/alert-facts.ts";
import { alertWords } from "#server/domain/alert-sentences.ts";
import { newId } from "#server/kernel/ids.ts";
import { queueMessage } from "../delivery/queue.ts";

/**
 * Opens an alert and queues it for every channel that subscribes to its rule. Returns false if an alert with this rule
 * and subject is already open.
 */
export async function openAlert(tx: Tx, finding: AlertFinding, nowMs: number): Promise<boolean> {
	const [row] = await tx
		.insert(alert)
		.values({ id: newId("alrt", nowMs), ...finding, openedAt: new Date(nowMs) })
		.onConflictDoNothing()
		.returning();
	if (!row) return false;
	await queueAlert(tx, row, nowMs);
	return true;
}

/** Replaces some facts of an open alert, so that screens show current figures. Messages already sent keep theirs. */
export async function updateAlertFacts(tx: Tx, { rule, subject, facts }: Omit<AlertFinding, "team">): Promise<void> {
	await tx
		.update(alert)
		.set({ facts: sql`${alert.facts} || ${JSON.stringify(facts)}::text::jsonb` })
		.where(and(eq(alert.rule, rule), eq(alert.subject, subject), isNull(alert.closedAt)));
}

/** Queues an open alert for its channels and returns the number of new deliveries. Safe to repeat. */
export async function queueAlert(tx: Tx, row: typeof alert.$inferSelect, nowMs: number): Promise<number> {
	const { title, text } = alertWords(row.rule, row.facts);
	return queueMessage(tx, {
		...{ topic: row.rule, team: row.team, about: `alert:${row.id}`, nowMs },
		message: { title, text, facts: { rule: row.rule, ...row.facts }, link: pageOf(row) },
		since: row.openedAt,
	});
}

const PAGES: Partial<Record<AlertRule, (subject: string) => string>> = {
	site_unhealthy: () => "/sites",
	sweep_failing: () => "/sites",
	rates_missing: () => "/settings/currency",
	job_stuck: (jobId) => `/jobs/${jobId}`,
};

/** The page on which a person can act on the alert. */
function pageOf({ id, rule, subject }: typeof alert.$inferSelect): string {
	if (rule === "approval_waiting") return `/approvals?approval=${subject}`;
	const page = PAGES[rule];
	if (page) return page(subject);
	return rule === "audit_chain_broken" ? "/audit" : `/budgets?alert=${id}#alerts`;
}
