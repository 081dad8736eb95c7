"use client";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { offersCsv } from "#components/capacity/export-csv.ts";
import { groupOffers, listPriceDay, type OfferLine } from "#components/capacity/offers.ts";
import { capacityHref, OFFER_GPUS, type OfferFilter, offersQuery } from "#components/capacity/params.ts";
import { Sparkline } from "#components/charts/sparkline.tsx";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money, PriceMissing } from "#components/money/money.tsx";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import { CAPACITY_WORD, Place } from "#components/place/place.tsx";
import { formatExact } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Health } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Select } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const SHOWN = 12;

/** Available offers, cheapest GPU-hour first. Offers without a price are shown but never chosen. */
export function OffersPanel({ filter }: { filter: OfferFilter }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.offer.list.queryOptions(offersQuery(filter)));
	const [all, setAll] = useState(false);
	const lines = groupOffers(data.items);
	const shown = all ? lines : lines.slice(0, SHOWN);
	return (
		<Panel
			title="Offers"
			sub={
				data.seenAt ? (
					<>
						read <Time atMs={Date.parse(data.seenAt)} />, cheapest GPU-hour first
					</>
				) : undefined
			}
			actions={
				<>
					<OfferFilters filter={filter} models={data.accelerators} />
					{lines.length > 0 && <CsvButton size="sm" label="Offers as CSV" fileName="spillway-offers.csv" text={() => offersCsv(shown)} />}
				</>
			}
			footer={
				lines.length > 0 && (
					<span className="flex flex-wrap items-center gap-x-3 gap-y-1">
						{lines.length > SHOWN && (
							<Button size="sm" onClick={() => setAll(!all)} aria-expanded={all}>
								{all ? "Show fewer" : `Show ${lines.length - SHOWN} more`}
							</Button>
						)}
						{formatCount(data.total)} offers match, by zone; the cheapest {formatCount(data.items.length)} loaded. CO2 is the region grid's
						yearly average.
					</span>
				)
			}
		>
			{lines.length === 0 ? <NoOffers filter={filter} any={data.accelerators.length > 0} /> : <OfferTable lines={shown} />}
		</Panel>
	);
}

function NoOffers({ filter, any }: { filter: OfferFilter; any: boolean }) {
	if (any)
		return (
			<NoResults what="offers" clearHref={capacityHref({ gpus: 1, model: null })}>
				No machine has {filter.gpus} or more {filter.model ?? "GPUs"}.
			</NoResults>
		);
	return (
		<EmptyState icon="capacity" title="No offers yet">
			Offers load every few minutes from connected cloud accounts.
		</EmptyState>
	);
}

function OfferFilters({ filter, models }: { filter: OfferFilter; models: readonly string[] }) {
	const router = useRouter();
	const [busy, start] = useTransition();
	return (
		<>
			<SegmentedLinks
				label="Minimum GPUs per machine"
				value={String(filter.gpus)}
				options={OFFER_GPUS.map((gpus) => ({
					value: String(gpus),
					label: gpus === 1 ? "1 GPU" : String(gpus),
					href: capacityHref({ ...filter, gpus }),
				}))}
			/>
			<Select
				aria-label="GPU model"
				aria-busy={busy}
				value={filter.model ?? ""}
				onChange={(event) => {
					const model = event.target.value || null;
					start(() => router.replace(capacityHref({ ...filter, model }), { scroll: false }));
				}}
				className="w-40 text-ink"
			>
				<option value="">All models</option>
				{models.map((model) => (
					<option key={model}>{model}</option>
				))}
			</Select>
		</>
	);
}

function OfferTable({ lines }: { lines: readonly OfferLine[] }) {
	return (
		<Table aria-label="Offers">
			<thead>
				<tr>
					<Th>Region and machine</Th>
					<Th n>$/h</Th>
					<Th n>$/GPU-hour</Th>
					<Th className="max-[89.99rem]:hidden">24 h</Th>
					<Th>Price of</Th>
					<Th n title="Grams of CO2 per kWh">
						g/kWh
					</Th>
				</tr>
			</thead>
			<tbody>
				{lines.map((line) => (
					<OfferRow key={line.offer.id} line={line} />
				))}
			</tbody>
		</Table>
	);
}

const BACKOFF = { insufficient_capacity: "no capacity", quota_exceeded: "quota exhausted" } as const;

function OfferRow({ line: { offer: o, zones } }: { line: OfferLine }) {
	const machine = `${o.instanceType}, ${o.gpus} × ${o.accelerator}`;
	const why = o.backoffReason ? (BACKOFF[o.backoffReason as keyof typeof BACKOFF] ?? o.backoffReason.replaceAll("_", " ")) : "refused";
	return (
		<Tr faded={o.microUsdPerHour === null || o.priceStale || o.backoffUntil !== null}>
			<Td phone="a" className="py-1.5">
				<span className="grid gap-px">
					<Place capacity={o.capacityType} provider={o.provider} region={o.region} />
					<span className="pl-3.5 text-xs text-ink-3">
						{machine}
						{zones > 1 ? `, ${zones} zones` : o.zone ? `, ${o.zone}` : ""}
					</span>
					<OfferNote offer={o} />
				</span>
			</Td>
			<Td n>
				{o.microUsdPerHour === null ? <PriceMissing why="missing" /> : <Money value={o.microUsdPerHour} kind="price" />}
				<DiskPrice offer={o} />
			</Td>
			<Td n phone="b" className="font-semibold">
				{o.microUsdPerGpuHour === null ? <PriceMissing why="missing" /> : <Money value={o.microUsdPerGpuHour} kind="price" />}
				<span className="font-book text-ink-3 md:hidden"> per GPU-hour</span>
			</Td>
			<Td className="w-16 max-[89.99rem]:hidden">
				<PriceLine offer={o} />
			</Td>
			<Td phone="d">
				{o.backoffUntil ? (
					<Health tone="warn">
						{why}, until <Time atMs={Date.parse(o.backoffUntil)} form="short" />
					</Health>
				) : o.priceStale ? (
					<Health tone="warn">
						<span title={`${o.priceSource}, read ${formatExact(Date.parse(o.priceObservedAt))}`}>
							stale: <Time atMs={Date.parse(o.priceObservedAt)} form="short" />
						</span>
					</Health>
				) : (
					<span className="text-ink-3" title={`${o.priceSource}, read ${formatExact(Date.parse(o.priceObservedAt))}`}>
						{listPriceDay(o.priceSource) ?? <Time atMs={Date.parse(o.priceObservedAt)} />}
					</span>
				)}
			</Td>
			<Td n>{o.gridGramsPerKwh === null ? <span className="text-ink-3">unknown</span> : formatCount(o.gridGramsPerKwh)}</Td>
		</Tr>
	);
}

/** Commitment, discount and exhausted quota of an offer. */
function OfferNote({ offer: { commitmentId, reservedFree, discount, quota, gpus } }: { offer: OfferLine["offer"] }) {
	const notes = [
		...(commitmentId === null ? [] : [`${commitmentId}: ${reservedFree ?? 0} free, prepaid`]),
		...(discount ? [`${discount.partsPerMillion / 10_000}% discount: ${discount.source}`] : []),
		...(quota && quota.gpusFree < gpus ? [`quota ${quota.name}: ${quota.used} of ${quota.limit} used`] : []),
	];
	return notes.length === 0 ? null : <span className="pl-3.5 text-xs text-ink-3">{notes.join("; ")}</span>;
}

/** Disk price next to the machine price; says so if the disk is not included. */
function DiskPrice({ offer: { disk } }: { offer: OfferLine["offer"] }) {
	if (disk === null) return null;
	const read = disk.observedAt === null ? "" : `, read ${formatExact(Date.parse(disk.observedAt))}`;
	return (
		<span className="block text-xs text-ink-3" title={`${disk.gib} GiB of ${disk.type}: ${disk.source}${read}`}>
			{disk.microUsdPerMonth === null ? (
				"disk not included"
			) : (
				<>
					+ disk <Money value={disk.microUsdPerMonth} kind="price" /> per month
				</>
			)}
		</span>
	);
}

function PriceLine({ offer: o }: { offer: OfferLine["offer"] }) {
	if (o.capacityType !== "spot") return <span className="text-xs text-ink-3">fixed</span>;
	const points = o.prices.map((p) => ({ atMs: p.atMs, value: Number(p.microUsdPerHour) / 1e6 }));
	const first = o.prices[0];
	if (!first || o.microUsdPerHour === null) return <span className="text-xs text-ink-3">no history</span>;
	const low = o.prices.reduce(
		(min, p) => (BigInt(p.microUsdPerHour) < min ? BigInt(p.microUsdPerHour) : min),
		BigInt(first.microUsdPerHour),
	);
	const high = o.prices.reduce(
		(max, p) => (BigInt(p.microUsdPerHour) > max ? BigInt(p.microUsdPerHour) : max),
		BigInt(first.microUsdPerHour),
	);
	return (
		<Sparkline
			points={points}
			toMs={Math.max(Date.parse(o.priceObservedAt), (o.prices.at(-1)?.atMs ?? 0) + 1)}
			scale="range"
			label={`${CAPACITY_WORD[o.capacityType]} price, last 24 hours: ${formatMoney(low, "price")} to ${formatMoney(high, "price")} per hour`}
			className="h-4 w-14"
		/>
	);
}
