"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { Carbon, Grams } from "#components/emissions/carbon.tsx";
import { formatEnergyParts, joinQuantity } from "#components/emissions/format-carbon.ts";
import { energyQuality, isEstimate } from "#components/emissions/quality.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { MoreButton } from "#components/page/more-button.tsx";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import { chargesCsv } from "#components/spend/export-csv.ts";
import { chargePages } from "#components/spend/pages.ts";
import { type ChargeLine, type ChargePage, causeOf, chargeName } from "#components/spend/prepare-charges.ts";
import { isRefundable } from "#components/spend/prepare-refund.ts";
import { RefundDialog } from "#components/spend/refund-dialog.tsx";
import { hours } from "#components/spend/table-panel.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import { type ChargesView, chargesHref, datesOfView, isFiltered, valueLabel } from "#components/spend/view.ts";
import { formatClockSeconds, formatDay } from "#components/time/format-time.ts";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import { useSuspenseInfiniteQuery } from "#components/trpc/infinite-queries.ts";
import { IconButton } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { CopyId } from "#components/ui/copy-id.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { Link } from "#components/ui/link.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

function useCharges(view: ChargesView) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const hour = useHour();
	const query = useSuspenseInfiniteQuery(
		chargePages(trpc.spend.charges.pathKey(), view, hour, (input) => client.spend.charges.query(input)),
	);
	const items = query.data.pages.flatMap((page) => page.items);
	const totals = query.data.pages[0]?.totals;
	const later = query.data.pages[0]?.later ?? null;
	const budget = query.data.pages[0]?.budget ?? null;
	const mayRefund = query.data.pages[0]?.may.refund === true;
	return { query, items, totals, later, budget, mayRefund };
}

/** Totals of the whole selection; the selected figure comes first. */
export function ChargesHead({ view }: { view: ChargesView }) {
	const { totals, budget } = useCharges(view);
	if (!totals) return null;
	const count = `${formatCount(Number(totals.charges))} charge${totals.charges === 1n ? "" : "s"}`;
	if (view.of === "carbon") return <CarbonFacts totals={totals} count={count} />;
	return (
		<FactStrip columns="1.3fr 1fr 1fr 1fr 1fr" framed={false} className="mt-1">
			{budget && (
				<Fact label={`Posted to ${budget.id}`} lead wide note={`${count}; reserved capacity as billed for the usage`}>
					<Money value={budget.postedMicroUsd} />
				</Fact>
			)}
			<Fact
				label="Effective cost"
				{...(budget ? { note: "includes amortized prepaid cost of reserved capacity" } : { lead: true, wide: true, note: count })}
			>
				<Money value={totals.effectiveMicroUsd} />
			</Fact>
			<Fact label="List cost" note="without discounts, spot or commitments">
				<Money value={totals.listMicroUsd} />
			</Fact>
			{budget === null && (
				<Fact label="Contracted cost" note="at negotiated prices">
					<Money value={totals.contractedMicroUsd} />
				</Fact>
			)}
			<Fact label="Billed cost" note="as invoiced">
				<Money value={totals.billedMicroUsd} />
			</Fact>
			<Fact label="GPU-hours" note="metered, including idle">
				{hours(totals.gpuMs)}
			</Fact>
		</FactStrip>
	);
}

function CarbonFacts({ totals, count }: { totals: ChargePage["totals"]; count: string }) {
	const estimate = isEstimate(totals);
	const unknown = (gpuMs: bigint) => (gpuMs > 0n ? `, unknown for ${hours(gpuMs)} GPU-hours` : "");
	return (
		<FactStrip columns="1.3fr 1.2fr 1.2fr 1fr 1fr" framed={false} className="mt-1">
			<Fact label="CO2e" lead wide note={count}>
				<Grams
					milligrams={totals.emissionsMilligrams + totals.embodiedMilligrams}
					estimate={estimate || totals.embodiedMilligrams !== 0n}
				/>
			</Fact>
			<Fact label="Operational" note={`${energyQuality(totals)}${unknown(totals.emissionsUnknownGpuMs)}`}>
				<Grams milligrams={totals.emissionsMilligrams} estimate={estimate} />
			</Fact>
			<Fact label="Embodied" note={`machine manufacture, by time used${unknown(totals.embodiedUnknownGpuMs)}`}>
				<Grams milligrams={totals.embodiedMilligrams} estimate />
			</Fact>
			<Fact label="Energy" note="including cooling (PUE)">
				{joinQuantity(formatEnergyParts(Number(totals.energyMilliWh) / 1_000))}
			</Fact>
			<Fact label="GPU-hours" note="metered, including idle">
				{hours(totals.gpuMs)}
			</Fact>
		</FactStrip>
	);
}

/** Charges, newest first. */
export function ChargesTable({ view }: { view: ChargesView }) {
	const { query, items, totals, later, mayRefund } = useCharges(view);
	const [refunding, setRefunding] = useState<ChargeLine | null>(null);
	const carbon = view.of === "carbon";
	const refundable = mayRefund && !carbon && items.some(isRefundable);
	if (items.length === 0) {
		if (later !== null && later.charges > 0n) return <Later view={view} later={later} />;
		if (isFiltered(view)) return <NoResults what="charges" clearHref={chargesHref({ ...view, filters: {} })} />;
		return (
			<EmptyState icon="spend" title="No charges in these days">
				Select other days to see charges of owned slots and cloud machines.
			</EmptyState>
		);
	}
	const all = Number(totals?.charges ?? 0n);
	const shown = items.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n);
	return (
		<>
			{later !== null && later.charges > 0n && <Later view={view} later={later} />}
			<Table aria-label="Charges">
				<thead>
					<tr>
						<Th>Time (UTC)</Th>
						<Th>Item</Th>
						<Th n>{carbon ? "Operational" : "Effective"}</Th>
						<Th>Job or cause</Th>
						<Th>Team and project</Th>
						<Th>Location</Th>
						<Th n>GPU-hours</Th>
						<Th n>{carbon ? "Embodied" : "List"}</Th>
						{refundable && (
							<Th className="relative px-0! last:pr-1!">
								<span className="sr-only">Refund</span>
							</Th>
						)}
					</tr>
				</thead>
				<tbody>
					{items.map((charge) => (
						<Row key={charge.id} charge={charge} carbon={carbon} {...(refundable ? { onRefund: setRefunding } : {})} />
					))}
				</tbody>
			</Table>
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t px-4 py-3 text-ink-3">
				<span>
					{formatCount(items.length)} of {formatCount(all)} charges, {formatMoney(shown, "posted")} of{" "}
					{formatMoney(totals?.effectiveMicroUsd ?? 0n, "posted")}
				</span>
				{query.hasNextPage && (
					<MoreButton pages={query} what="more charges">
						More charges
					</MoreButton>
				)}
			</div>
			{refunding && <RefundDialog charge={refunding} onClose={() => setRefunding(null)} />}
		</>
	);
}

/** Amounts posted after the cutoff, such as corrections to a closed month. */
function Later({ view, later }: { view: ChargesView; later: NonNullable<ChargePage["later"]> }) {
	const count = Number(later.charges);
	return (
		<p className="hairline-b px-4 py-2.5 text-xs text-pretty text-ink-2">
			Excludes later postings: {formatCount(count)} {count === 1 ? "charge" : "charges"},{" "}
			<Money value={later.effectiveMicroUsd} signed className="font-semibold" />.{" "}
			<Link href={chargesHref({ ...view, asOf: null, since: view.asOf })} className="text-accent hover:underline">
				Show
			</Link>
		</p>
	);
}

/** `onRefund`: adds the refund column. */
function Row({ charge, carbon, onRefund }: { charge: ChargeLine; carbon: boolean; onRefund?: (charge: ChargeLine) => void }) {
	const { dimensions: d } = charge;
	const cause = causeOf(charge);
	return (
		<Tr>
			<Td phone="c">
				<time dateTime={new Date(charge.periodStartMs).toISOString()} className="tabular">
					<span className="md:block">
						{formatDay(charge.periodStartMs, false)}
						<span className="md:hidden">, </span>
					</span>
					<span className="md:text-xs md:text-ink-3">
						{formatClockSeconds(charge.periodStartMs)} to {formatClockSeconds(charge.periodEndMs)}
					</span>
				</time>
			</Td>
			<Td className="w-40 py-1 leading-snug whitespace-normal!">
				<span className="block">{chargeName(charge)}</span>
				<span className="block truncate text-xs text-ink-3">{d.accelerator || "no GPU"}</span>
			</Td>
			<Td n phone="b" className="font-semibold">
				{carbon ? (
					<Known milligrams={charge.emissionsMilligrams} estimate={isEstimate(charge)} how={energyQuality(charge)} />
				) : (
					<Money value={charge.effectiveMicroUsd} />
				)}
			</Td>
			<Td phone="a" className={cn("truncate font-strong", carbon ? "max-w-40" : "max-w-48")}>
				{charge.jobId === null ? (
					<>
						<Link href={cause.href} className="text-accent hover:underline">
							{cause.word}
						</Link>{" "}
						<CopyId value={cause.id} />
					</>
				) : (
					<>
						<Link href={`/jobs/${charge.jobId}`} className="text-accent hover:underline">
							{charge.jobName ?? charge.jobId}
						</Link>{" "}
						<Link href={cause.href} title={cause.id} className="text-xs font-book text-ink-3 hover:underline">
							{cause.word.toLowerCase()}
						</Link>
					</>
				)}
			</Td>
			<Td className="max-w-32 py-1">
				{d.team ? <span className="block truncate">{d.team}</span> : <span className="text-ink-3">none</span>}
				{d.project && <span className="block truncate text-xs text-ink-3">{d.project}</span>}
			</Td>
			<Td className="py-1">
				<span className="flex items-center gap-2">
					<PlaceSwatch capacity={d.capacityType} />
					{d.siteId} {d.region}
				</span>
				<span className="block pl-4 text-xs text-ink-3">{valueLabel("capacityType", d.capacityType)}</span>
			</Td>
			<Td n phone="d">
				<span className={charge.correction === null ? undefined : "max-md:hidden"}>
					{hours(charge.gpuMs)}
					<span className="md:hidden"> GPU-h</span>
				</span>
				{charge.correction !== null && <span className="md:hidden">{chargeName(charge)}</span>}
			</Td>
			<Td n className="text-ink-2">
				{carbon ? <Known milligrams={charge.embodiedMilligrams} estimate /> : <Money value={charge.listMicroUsd} />}
			</Td>
			{onRefund && (
				<Td className="px-0! last:pr-1!">
					{isRefundable(charge) && (
						<IconButton
							icon="more"
							size="sm"
							label={`Refund ${chargeName(charge)} of ${charge.jobName ?? charge.cause.id}`}
							onClick={() => onRefund(charge)}
						/>
					)}
				</Td>
			)}
		</Tr>
	);
}

function Known({ milligrams, estimate, how }: { milligrams: bigint | null; estimate: boolean; how?: string }) {
	if (milligrams === null) return <span className="font-book text-ink-3">unknown</span>;
	return (
		<span title={how}>
			<Carbon grams={Number(milligrams) / 1_000} estimate={estimate} />
		</span>
	);
}

/** Exports the loaded charges. In the header, so errors are shown only in the panel. */
export function ChargesExport({ view }: { view: ChargesView }) {
	const trpc = useTRPC();
	const client = useTRPCClient();
	const hour = useHour();
	const { data } = useInfiniteQuery(chargePages(trpc.spend.charges.pathKey(), view, hour, (input) => client.spend.charges.query(input)));
	const items = data?.pages.flatMap((page) => page.items) ?? [];
	const { from, to } = datesOfView(view, hour);
	const cuts = [view.asOf && `-as-of-${view.asOf}`, view.since && `-since-${view.since}`].map((cut) =>
		(cut ?? "").replace(/[^\w-]+/g, "-"),
	);
	return (
		<CsvButton
			fileName={`spillway-charges-${from}-to-${to}${cuts.join("")}.csv`}
			text={items.length > 0 ? () => chargesCsv(items) : null}
		/>
	);
}
