import { and, eq, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { alert } from "#server/db/schema/alert.ts";
import { openAlert } from "#server/services/notification/alert/open.ts";
import { breakSentence } from "./chain-break.ts";
import type { ChainBreak } from "./verify.ts";

const RULE = "audit_chain_broken";
/** Subject of the alert: there is one chain. */
const SUBJECT = "audit";

/** Keeps one alert open while the chain is broken, with the first break found. Closed when a check finds the chain intact. */
export async function raiseChainAlert(tx: Tx, broken: ChainBreak | null, nowMs: number): Promise<void> {
	const changed = broken === null ? await close(tx, nowMs) : await openAlert(tx, findingOf(broken), nowMs);
	if (changed) await notify(tx, { changes: [{ topic: "alert", id: null, team: null }] });
}

function findingOf(broken: ChainBreak) {
	return { rule: RULE, subject: SUBJECT, team: null, facts: { ...broken, sentence: breakSentence(broken) } } as const;
}

async function close(tx: Tx, nowMs: number): Promise<boolean> {
	const closed = await tx
		.update(alert)
		.set({ closedAt: new Date(nowMs) })
		.where(and(eq(alert.rule, RULE), eq(alert.subject, SUBJECT), isNull(alert.closedAt)))
		.returning({ id: alert.id });
	return closed.length > 0;
}
