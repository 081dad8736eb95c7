"use client";
import { Carbon } from "#components/carbon/carbon.tsx";
import { formatCarbonParts, formatEnergyParts, joinQuantity } from "#components/carbon/format-carbon.ts";
import { perGpuHour } from "#components/carbon/prepare-table.ts";
import { type CarbonView, rangeLabel } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

const grams = (milligrams: bigint): number => Number(milligrams) / 1_000;
const text = (milligrams: bigint): string => joinQuantity(formatCarbonParts(grams(milligrams)));
const NONE = <span className="text-ink-3">none</span>;

/** What was emitted, in use and by manufacture, for each GPU-hour, and by the power contracts. */
export function CarbonHead({ view }: { view: CarbonView }) {
	const { page, today } = useCarbon(view);
	const { totals } = page.groups;
	const home =
		totals.owned.operationalMilligrams +
		totals.idle.operationalMilligrams +
		totals.owned.embodiedMilligrams +
		totals.idle.embodiedMilligrams;
	const perKwh = totals.energyMilliWh > 0n ? (Number(totals.operationalMilligrams) / Number(totals.energyMilliWh)) * 1e3 : null;
	const used = perGpuHour(totals.owned.operationalMilligrams + totals.owned.embodiedMilligrams, totals.owned.gpuMs);
	const away = perGpuHour(totals.cloud.operationalMilligrams + totals.cloud.embodiedMilligrams, totals.cloud.gpuMs);
	return (
		<FactStrip columns="1.3fr 1.1fr 1.1fr 1.1fr 1.1fr" framed={false} className="mt-1">
			<Fact
				label={`${rangeLabel(view.range, today)}, CO2e`}
				lead
				wide
				note={`home ${text(home)}, cloud ${text(totals.totalMilligrams - home)}`}
			>
				<Carbon grams={grams(totals.totalMilligrams)} estimate={totals.measuredEnergyMilliWh < totals.energyMilliWh} />
			</Fact>
			<Fact
				label="In use"
				note={
					perKwh === null
						? "no energy was metered"
						: `${joinQuantity(formatEnergyParts(Number(totals.energyMilliWh) / 1_000))} at ${formatCount(perKwh)} g/kWh`
				}
			>
				<Carbon grams={grams(totals.operationalMilligrams)} />
			</Fact>
			<Fact
				label="Manufacture"
				note={
					totals.embodiedUnknownGpuMs > 0n
						? `not published for ${hours(totals.embodiedUnknownGpuMs)} GPU-hours`
						: "its share of the machines, by time"
				}
			>
				<Carbon grams={grams(totals.embodiedMilligrams)} />
			</Fact>
			<Fact label="Per GPU-hour" note={away === null ? "no cloud hours in this range" : `${text(away)} in the cloud`}>
				{used === null ? (
					NONE
				) : (
					<>
						<Carbon grams={grams(used)} /> <span className="text-sm font-book text-ink-3">at home</span>
					</>
				)}
			</Fact>
			<Fact
				label="By power contracts"
				note={
					totals.marketUnknownGpuMs >= totals.gpuMs
						? "market-based: no contract is on record"
						: totals.marketUnknownGpuMs > 0n
							? `market-based, without ${hours(totals.marketUnknownGpuMs)} GPU-hours`
							: "market-based, all of it"
				}
			>
				{totals.marketUnknownGpuMs >= totals.gpuMs ? (
					<span className="text-ink-3">not known</span>
				) : (
					<Carbon grams={grams(totals.marketMilligrams)} />
				)}
			</Fact>
		</FactStrip>
	);
}

function hours(gpuMs: bigint): string {
	const value = Number(gpuMs) / HOUR_MS;
	return value < 10 ? value.toFixed(1) : formatCount(value);
}
