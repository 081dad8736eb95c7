"use client";
import {
	type BillsView,
	billsHref,
	billsQuery,
	RECONCILIATION_STATES,
	type ReconciledResource,
	type Reconciliation,
} from "#components/bills/params.ts";
import { machineCharges, STATE_WORD, whyOf } from "#components/bills/prepare-rows.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { valueLabel } from "#components/spend/view.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Health } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const LINK = "underline decoration-line-strong underline-offset-4 hover:decoration-current";

function useReconciliation(view: BillsView): Reconciliation {
	const trpc = useTRPC();
	return useSuspenseQuery(trpc.bill.reconciliation.queryOptions(billsQuery(view))).data;
}

/** Provider bills compared with the ledger, totals. */
export function ProvidersPanel({ view }: { view: BillsView }) {
	const { providers, reconciledAt } = useReconciliation({ ...view, state: null });
	if (providers.length === 0) {
		return (
			<Panel>
				<EmptyState
					icon="statements"
					title="No bills imported for this month"
					action={{ label: "Statement", href: `/statements/${view.month}` }}
				>
					Finance imports bills here or with <code>spillway bill import FILE</code>.
				</EmptyState>
			</Panel>
		);
	}
	return (
		<Panel
			title="By provider"
			sub={
				<>
					UTC months, as billed
					{reconciledAt !== null && (
						<>
							; reconciled <Time atMs={Date.parse(reconciledAt)} form="relative" />
						</>
					)}
				</>
			}
		>
			<Table aria-label="Bills by provider">
				<thead>
					<tr>
						<Th>Provider</Th>
						<Th n>Resources</Th>
						<Th n>Ledger</Th>
						<Th n>Billed</Th>
						<Th n>Adjusted</Th>
						<Th n>Unexplained</Th>
					</tr>
				</thead>
				<tbody>
					{providers.map((p) => (
						<Tr key={p.provider}>
							<Td phone="a" className="font-strong">
								{valueLabel("provider", p.provider)}
							</Td>
							<Td n phone="c" className="max-md:text-left">
								{formatCount(Object.values(p.resources).reduce((sum, n) => sum + n, 0))}
								<span className="md:hidden"> resources</span>
							</Td>
							<Td n>
								<Money value={p.estimatedMicroUsd} />
							</Td>
							<Td n phone="b" className="font-semibold">
								<Money value={p.billedMicroUsd} />
							</Td>
							<Td n>
								<Money value={p.adjustedMicroUsd} signed />
							</Td>
							<Td n phone="d" className={p.unexplainedMicroUsd === "0" ? "text-ink-3" : "font-semibold text-risk-ink"}>
								<Money value={p.unexplainedMicroUsd} signed />
								<span className="md:hidden"> unexplained</span>
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</Panel>
	);
}

/** Per resource, largest difference first. */
export function ResourcesPanel({ view }: { view: BillsView }) {
	const { providers, items, truncated } = useReconciliation(view);
	if (providers.length === 0) return null;
	const count = (state: (typeof RECONCILIATION_STATES)[number]) => providers.reduce((sum, p) => sum + p.resources[state], 0);
	const found = RECONCILIATION_STATES.filter((state) => count(state) > 0 || state === view.state);
	return (
		<Panel
			title="By resource"
			sub={truncated ? `top ${items.length} by difference` : "by difference"}
			actions={
				<SegmentedLinks
					label="Outcome"
					value={view.state ?? "all"}
					options={[
						{ value: "all", label: "All", href: billsHref({ ...view, state: null, resource: null }) },
						...found.map((state) => ({
							...{ value: state, label: `${STATE_WORD[state]} ${formatCount(count(state))}` },
							href: billsHref({ ...view, state, resource: null }),
						})),
					]}
				/>
			}
		>
			{items.length === 0 ? (
				<NoResults what="resources" clearHref={billsHref({ ...view, state: null })} />
			) : (
				<Table aria-label="Resources">
					<thead>
						<tr>
							<Th>Resource</Th>
							<Th>Outcome</Th>
							<Th n>Ledger</Th>
							<Th n>Billed</Th>
							<Th n>Adjusted</Th>
							<Th>Machine</Th>
							<Th>Reason</Th>
						</tr>
					</thead>
					<tbody>
						{items.map((item) => (
							<Row key={`${item.provider}/${item.resourceId}`} item={item} view={view} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function Row({ item, view }: { item: ReconciledResource; view: BillsView }) {
	const { resourceId, instanceId, state } = item;
	const isShown = view.resource === resourceId;
	const posted = item.adjustedMicroUsd === "0" ? null : machineCharges(view.month, instanceId, true);
	const charges = machineCharges(view.month, instanceId);
	return (
		<Tr className={isShown ? "bg-sunken" : ""}>
			<Td phone="a" className="max-w-44 truncate font-mono text-xs" title={resourceId}>
				{resourceId}
			</Td>
			<Td phone="c">
				<Health tone={state === "matched" ? "ok" : state === "billed_unknown" ? "risk" : "warn"}>{STATE_WORD[state]}</Health>
			</Td>
			<Td n>
				<Money value={item.estimatedMicroUsd} />
			</Td>
			<Td n phone="b" className="font-semibold">
				{item.billId === null ? (
					<Money value={item.billedMicroUsd} />
				) : (
					<Link
						href={`${billsHref({ ...view, resource: resourceId })}#lines`}
						aria-current={isShown ? "true" : undefined}
						className={cn("max-md:inline-flex max-md:min-h-6 max-md:items-center", LINK)}
					>
						<Money value={item.billedMicroUsd} />
						<span className="sr-only"> {resourceId}: bill lines</span>
					</Link>
				)}
			</Td>
			<Td n>
				{item.adjustedMicroUsd === "0" ? (
					<span className="text-ink-3">none</span>
				) : (
					<Drill href={posted} what={`${resourceId}, posted from the bill`}>
						<Money value={item.adjustedMicroUsd} signed />
					</Drill>
				)}
			</Td>
			<Td className="max-w-40 truncate font-mono text-xs">
				{instanceId === null ? (
					<span className="font-sans text-ink-3">unknown</span>
				) : charges === null ? (
					instanceId
				) : (
					<Link href={charges} title={instanceId} className="text-accent hover:underline">
						{instanceId}
						<span className="sr-only">: charges</span>
					</Link>
				)}
			</Td>
			<Td phone="d" className="max-w-88 text-pretty whitespace-normal! text-ink-2 max-md:max-w-52 max-md:text-right">
				{whyOf(item)}
			</Td>
		</Tr>
	);
}
