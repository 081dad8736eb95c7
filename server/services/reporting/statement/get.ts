import type { z } from "zod";
import { checkStatement, type StatementCheck } from "#server/accounting/statement-checks.ts";
import { diffStatements, type StatementDifference } from "#server/accounting/statement-diff.ts";
import { getStatementInput } from "#server/contract/inputs/statement.ts";
import type { StatementContent, StatementState } from "#server/domain/statement.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { allows, authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { LEDGER_CURRENCY } from "#server/services/pricing/currency/reporting-currency.ts";
import { type ChangedSince, changedSince, NOTHING, stateOf, teamsInLedger } from "./current.ts";
import { sha256Of } from "./hash.ts";
import { ledgerMonth } from "./month.ts";
import { previewStatement } from "./preview.ts";
import { countDeliveries, type SentTo } from "./sent.ts";
import { namesOf, newestSums, type SignatureView, type StoredStatement, signaturesOf, versionsOf } from "./stored.ts";

export interface StatementVersion {
	version: number;
	sha256: string;
	closedAt: Date;
	closedBy: string;
	correction: string | null;
	totalMicroUsd: string;
	signatures: SignatureView[];
	/** Differences from the previous version; empty for the first. */
	differences: StatementDifference[];
}

export interface StatementView {
	content: StatementContent;
	/** Why a preview is not in the reporting currency: currency and day of the missing rate. */
	currencyProblem: string | null;
	state: StatementState;
	/** Whether the month has ended. */
	over: boolean;
	/** The version shown; null for a preview. */
	shown: StatementVersion | null;
	/** Whether the stored content still matches the signed hash; null for a preview. */
	intact: boolean | null;
	/** Amounts posted to the month since its newest version; null when there are none or the month is not closed. */
	changedSince: ChangedSince | null;
	/** Newest first. */
	versions: StatementVersion[];
	checks: StatementCheck[];
	/** The other statements of the month that the person may see; "" is the company. */
	others: { team: string; state: StatementState; totalMicroUsd: string }[];
	sent: SentTo;
	may: { close: boolean; sign: boolean; note: boolean; readBills: boolean };
}

/**
 * Returns a statement for its page.
 * @throws SpillwayError `forbidden`, `invalid_input`; `not_found` for a version that was never written; `conflict` for a
 * requested currency without rates.
 */
export async function getStatement(ctx: ServiceContext, raw: z.input<typeof getStatementInput>): Promise<StatementView> {
	const input = getStatementInput.parse(raw);
	const { month, team } = input;
	authorize(ctx, "statement:read", team);
	const { fromMs, toMs } = ledgerMonth(month, await ledgerCalendar(ctx.db));
	const stored = await versionsOf(ctx.db, month, team);
	const wanted = input.version ?? stored[0]?.version ?? 0;
	const row = stored.find((s) => s.version === wanted) ?? null;
	if (!row && wanted !== 0) {
		throw new SpillwayError("not_found", `This statement has no version ${wanted}.`, {
			fix:
				stored.length === 0 ? "The month is not closed yet; leave the version out to see its preview." : `Versions: 1 to ${stored.length}.`,
		});
	}
	if (row) rejectOtherCurrency(row, input.currency);
	const { content, currencyProblem } = row
		? { content: row.content, currencyProblem: null }
		: await readPreview(ctx, { month, team, currency: input.currency });
	const [versions, inLedger, newest, sent] = await Promise.all([
		versionViews(ctx, stored),
		teamsInLedger(ctx.db, fromMs),
		newestSums(ctx.db, month),
		countDeliveries(ctx.db, stored[0]?.id ?? null),
	]);
	const signatures = await signaturesOf(ctx.db, [...newest.values()]);
	const over = ctx.clock.nowMs() >= toMs;
	const stateOfTeam = (name: string): { state: StatementState; changed: ChangedSince | null } => {
		const last = newest.get(name);
		const changed = last ? changedSince(last, inLedger.get(name) ?? NOTHING) : null;
		const signed = last !== undefined && (signatures.get(last.id)?.length ?? 0) > 0;
		return { state: stateOf({ over, closed: last !== undefined, changed: changed !== null, signed }), changed };
	};
	const scope = teamScope(ctx, "statement:read");
	const teams = [...new Set([...inLedger.keys(), ...newest.keys()])]
		.sort()
		.filter((t) => t !== team && (scope === null || scope.includes(t)));
	const mine = stateOfTeam(team);
	return {
		...{ content, currencyProblem, over, versions, sent, state: mine.state, changedSince: mine.changed },
		shown: versions.find((v) => v.version === row?.version) ?? null,
		intact: row ? sha256Of(row.content) === row.sha256 : null,
		checks: checkStatement(content),
		others: teams.map((name) => ({
			team: name,
			state: stateOfTeam(name).state,
			totalMicroUsd: newest.get(name)?.totals.effectiveMicroUsd ?? String(inLedger.get(name)?.effectiveMicroUsd ?? 0n),
		})),
		may: {
			close: allows(ctx, "statement:close", null),
			sign: allows(ctx, "statement:sign", team) && ctx.actor.kind === "person",
			note: allows(ctx, "statement:close", team),
			readBills: allows(ctx, "bill:read", null),
		},
	};
}

/** Falls back to US dollars when the reporting currency lacks a rate. For an explicitly requested currency that is an error. */
async function readPreview(ctx: ServiceContext, input: Parameters<typeof previewStatement>[1]) {
	try {
		return { content: await previewStatement(ctx, input), currencyProblem: null };
	} catch (error) {
		if (input.currency !== undefined || !(error instanceof SpillwayError) || error.code !== "conflict") throw error;
		return { content: await previewStatement(ctx, { ...input, currency: LEDGER_CURRENCY }), currencyProblem: error.message };
	}
}

/** Closed and signed content is not converted again. */
function rejectOtherCurrency({ version, content }: StoredStatement, currency: string | undefined): void {
	const own = [LEDGER_CURRENCY, ...(content.inCurrency ? [content.inCurrency.currency] : [])];
	if (currency === undefined || own.includes(currency)) return;
	throw new SpillwayError("conflict", `Version ${version} was closed in ${own.join(" and ")}, without rates for ${currency}.`, {
		fields: [{ path: "currency", message: `must be ${own.join(" or ")} for this version` }],
		fix: "Omit currency. version=0 shows the current ledger in any currency with rates.",
	});
}

async function versionViews(ctx: ServiceContext, stored: readonly StoredStatement[]): Promise<StatementVersion[]> {
	const [names, signatures] = await Promise.all([
		namesOf(
			ctx.db,
			stored.map((s) => s.closedBy),
		),
		signaturesOf(ctx.db, stored),
	]);
	return stored.map((row, at) => {
		const before = stored[at + 1];
		return {
			...{ version: row.version, sha256: row.sha256, closedAt: row.closedAt, correction: row.correction },
			closedBy: names.get(row.closedBy) ?? row.closedBy,
			totalMicroUsd: row.content.totals.effectiveMicroUsd,
			signatures: signatures.get(row.id) ?? [],
			differences: before ? diffStatements(before.content, row.content) : [],
		};
	});
}
