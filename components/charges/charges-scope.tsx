import { billsHref } from "#components/bills/params.ts";
import { budgetsHref } from "#components/budgets/params.ts";
import { CORRECTION_WORD } from "#components/spend/prepare-charges.ts";
import { type ChargesView, chargesHref } from "#components/spend/view.ts";
import { statementHref } from "#components/statements/search-params.ts";
import { formatExact } from "#components/time/format-time.ts";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { parseLedgerCut } from "#server/domain/ledger-cut.ts";
import { monthWords } from "#server/domain/statement-words.ts";

const LOST_WORD = {
	failed: "Failed attempts",
	interrupted: "Attempts reclaimed by the spot market",
	evicted: "Attempts on an unfit or expired machine",
	lost: "Lost attempts",
	cut_short: "Reclaimed, evicted or lost attempts",
	cancelled: "Cancelled attempts",
	any: "Unfinished attempts",
} as const;

/** Restrictions besides the filters, such as one job, a budget or lost work. Each can be cleared. */
export function ChargesScope({ view }: { view: ChargesView }) {
	const { job, lost, withoutIdle, cause, correction, asOf, since, budget, bills } = view;
	if ([job, lost, cause, correction, asOf, since, budget, bills].every((part) => part === null) && !withoutIdle) return null;
	return (
		<div className="flex flex-wrap items-center gap-2 text-ink-2">
			{view.job !== null && (
				<Scope clearHref={chargesHref({ ...view, job: null })} clears="job">
					Job:{" "}
					<Link href={`/jobs/${view.job}`} className="font-mono text-xs text-accent hover:underline">
						{view.job}
					</Link>
				</Scope>
			)}
			{budget !== null && (
				<Scope clearHref={chargesHref({ ...view, budget: null })} clears="budget">
					Counted by budget{" "}
					<Link href={budgetsHref({ budget })} className="text-accent hover:underline">
						{budget}
					</Link>
				</Scope>
			)}
			{bills !== null && (
				<Scope clearHref={chargesHref({ ...view, bills: null })} clears="billing month (then days follow the ledger's time zone)">
					In {monthWords(bills)} UTC, as billed by{" "}
					<Link href={billsHref({ month: bills })} className="text-accent hover:underline">
						providers
					</Link>
				</Scope>
			)}
			{cause !== null && (
				<Scope clearHref={chargesHref({ ...view, cause: null })} clears="cause">
					Cause: <span className="font-mono text-xs">{cause}</span>
				</Scope>
			)}
			{correction !== null && (
				<Scope clearHref={chargesHref({ ...view, correction: null })} clears="corrections filter">
					Corrections: {correction.map((why) => CORRECTION_WORD[why]).join("; ")}
				</Scope>
			)}
			{asOf !== null && (
				<Scope clearHref={chargesHref({ ...view, asOf: null })} clears="cutoff (then current amounts are shown)">
					Ledger as of <CutWords cut={asOf} />
				</Scope>
			)}
			{since !== null && (
				<Scope clearHref={chargesHref({ ...view, since: null })} clears="later-charges filter">
					Posted after <CutWords cut={since} />
				</Scope>
			)}
			{view.withoutIdle && (
				<Scope clearHref={chargesHref({ ...view, withoutIdle: false })} clears="usage filter">
					Excludes idle hardware
				</Scope>
			)}
			{view.lost !== null && (
				<Scope clearHref={chargesHref({ ...view, lost: null })} clears="lost-work filter">
					{LOST_WORD[view.lost]} that ended in these days, with their full cost
				</Scope>
			)}
		</div>
	);
}

/** A statement version's closing with a link, or an instant. */
function CutWords({ cut: text }: { cut: string }) {
	const cut = parseLedgerCut(text);
	if (cut === null) return null;
	if ("atMs" in cut) return <time dateTime={new Date(cut.atMs).toISOString()}>{formatExact(cut.atMs)}</time>;
	const { month, team, version } = cut;
	return (
		<>
			the closing of{" "}
			<Link href={statementHref(month, team, version)} className="text-accent hover:underline">
				{monthWords(month)}
				{team && `, ${team}`}, version {version}
			</Link>
		</>
	);
}

function Scope({ clearHref, clears, children }: { clearHref: string; clears: string; children: React.ReactNode }) {
	return (
		<span className="inline-flex min-h-7.5 items-center gap-1.5 rounded-lg border border-line-strong bg-panel px-2.5 py-0.5 text-ink">
			<span>{children}</span>
			<Link
				href={clearHref}
				replace
				scroll={false}
				aria-label={`Clear ${clears}`}
				className="-mr-1 grid size-6 place-items-center text-ink-3"
			>
				<Icon name="x" className="size-3" />
			</Link>
		</span>
	);
}
