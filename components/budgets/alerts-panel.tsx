"use client";
import { type AlertItem, type AlertState, alertsQuery } from "#components/budgets/params.ts";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Dot } from "#components/ui/chip.tsx";
import { Link } from "#components/ui/link.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

interface RuleView {
	label: string;
	tone: "warn" | "risk";
	/** Where a person acts on it, if not on its subject's page. */
	page?: { label: string; href: string };
}

const RULE: Record<AlertItem["rule"], RuleView> = {
	budget_threshold: { label: "budget threshold", tone: "warn" },
	budget_forecast_overrun: { label: "forecast over cap", tone: "warn" },
	spend_anomaly: { label: "unusual spend", tone: "warn" },
	money_at_risk: { label: "money at risk", tone: "risk" },
	billed_unknown: { label: "billed, not in ledger", tone: "risk" },
	ledger_mismatch: { label: "ledger check", tone: "risk" },
	audit_chain_broken: { label: "audit chain", tone: "risk" },
	approval_waiting: { label: "approval", tone: "warn" },
	delivery_failing: { label: "delivery", tone: "warn" },
	site_unhealthy: { label: "site unhealthy", tone: "risk" },
	no_leader: { label: "no scheduler", tone: "risk" },
	job_stuck: { label: "job stuck", tone: "warn" },
	sweep_failing: { label: "sweep failing", tone: "risk" },
	credential_expiring: { label: "expiry", tone: "warn" },
	rates_missing: { label: "exchange rates", tone: "warn", page: { label: "Import rates", href: "/settings/currency" } },
};

/** Where to act on an open alert. */
function PageLink({ rule, closedAt }: AlertItem) {
	const { page } = RULE[rule];
	if (!page || closedAt) return null;
	return (
		<Link href={page.href} className="font-strong text-accent hover:underline">
			{page.label}
		</Link>
	);
}

/** Alerts, open or resolved. */
export function AlertsList({ state }: { state: AlertState }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.alert.list.queryOptions(alertsQuery(state)));
	if (data.items.length === 0) {
		return state === "open" ? (
			<EmptyState icon="check" title="No open alerts">
				Budgets, forecasts, daily spend and stray machines are checked every minute. Problems appear here.
			</EmptyState>
		) : (
			<EmptyState icon="audit" title="No resolved alerts">
				Resolved alerts appear here.
			</EmptyState>
		);
	}
	return (
		<Table aria-label={state === "open" ? "Open alerts" : "Past alerts"}>
			<thead>
				<tr>
					<Th>Since</Th>
					<Th>Subject</Th>
					<Th className="w-[55%]">Alert</Th>
					<Th>Sent to</Th>
				</tr>
			</thead>
			<tbody>
				{data.items.map((a) => (
					<Tr key={a.id} id={`alert-${a.id}`} className="align-top">
						<Td phone="c" className="py-2.5 text-ink-2">
							<Time atMs={Date.parse(a.openedAt)} />
							{a.closedAt && (
								<span className="block text-xs text-ink-3">
									resolved <Time atMs={Date.parse(a.closedAt)} />
								</span>
							)}
						</Td>
						<Td phone="d" className="py-2.5">
							<span className="inline-flex items-center gap-1.75">
								<Dot tone={a.closedAt ? "neutral" : RULE[a.rule].tone} />
								{RULE[a.rule].label}
							</span>
							{a.team && <span className="block text-xs text-ink-3">team {a.team}</span>}
						</Td>
						<Td phone="e" className="py-2.5 whitespace-normal! max-md:pt-1!">
							<b className="font-strong">{a.title}</b>
							<span className="block text-pretty text-ink-2">{a.text}</span>
							<PageLink {...a} />
						</Td>
						<Td className="py-2.5 text-ink-2">
							{a.sent.length === 0 ? (
								<span className="text-ink-3">no channel</span>
							) : (
								a.sent.map((s) => (
									<span key={s.channel} className="block">
										{s.channel}
										{s.state !== "sent" && <span className={s.state === "failed" ? "text-risk-ink" : "text-ink-3"}>, {s.state}</span>}
									</span>
								))
							)}
						</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}
