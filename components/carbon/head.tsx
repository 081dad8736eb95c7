"use client";
import { perGpuHour } from "#components/carbon/prepare-table.ts";
import { type CarbonView, chargesOf } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { Carbon, Grams } from "#components/emissions/carbon.tsx";
import { formatCarbonParts, formatEnergyParts, joinQuantity } from "#components/emissions/format-carbon.ts";
import { energyQuality, isEstimate } from "#components/emissions/quality.ts";
import { Drill } from "#components/spend/cells.tsx";
import { rangeLabel } from "#components/spend/range.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

const grams = (milligrams: bigint): number => Number(milligrams) / 1_000;
const text = (milligrams: bigint): string => (milligrams === 0n ? "none" : `≈ ${joinQuantity(formatCarbonParts(grams(milligrams)))}`);
const NONE = <span className="text-ink-3">none</span>;

/** Emissions: operational, embodied, per GPU-hour and market-based. */
export function CarbonHead({ view }: { view: CarbonView }) {
	const { page, hour } = useCarbon(view);
	const { totals } = page.groups;
	const home =
		totals.owned.operationalMilligrams +
		totals.idle.operationalMilligrams +
		totals.owned.embodiedMilligrams +
		totals.idle.embodiedMilligrams;
	const perKwh = totals.energyMilliWh > 0n ? (Number(totals.operationalMilligrams) / Number(totals.energyMilliWh)) * 1e3 : null;
	const used = perGpuHour(totals.owned.operationalMilligrams + totals.owned.embodiedMilligrams, totals.owned.gpuMs);
	const all = totals.gpuMs === 0n ? null : chargesOf(view);
	const estimate = isEstimate(totals);
	const away = perGpuHour(totals.cloud.operationalMilligrams + totals.cloud.embodiedMilligrams, totals.cloud.gpuMs);
	return (
		<FactStrip columns="1.3fr 1.1fr 1.1fr 1.1fr 1.1fr" framed={false} className="mt-1">
			<Fact
				label={`${rangeLabel(view.range, hour, view.zone)}, CO2e`}
				lead
				wide
				note={`owned ${text(home)}, cloud ${text(totals.totalMilligrams - home)}`}
			>
				<Drill href={all} what="Total">
					<Grams milligrams={totals.totalMilligrams} estimate={estimate || totals.embodiedMilligrams !== 0n} />
				</Drill>
			</Fact>
			<Fact
				label="Operational"
				note={
					perKwh === null
						? "no energy metered"
						: `${joinQuantity(formatEnergyParts(Number(totals.energyMilliWh) / 1_000))} at ${formatCount(perKwh)} g/kWh: ${energyQuality(totals)}`
				}
			>
				<Drill href={all} what="Operational">
					<Grams milligrams={totals.operationalMilligrams} estimate={estimate} />
				</Drill>
			</Fact>
			<Fact
				label="Embodied"
				note={
					totals.embodiedUnknownGpuMs > 0n
						? `unknown for ${hours(totals.embodiedUnknownGpuMs)} GPU-hours`
						: "machine manufacture, by time used"
				}
			>
				<Drill href={all} what="Embodied">
					<Grams milligrams={totals.embodiedMilligrams} estimate />
				</Drill>
			</Fact>
			<Fact label="Per GPU-hour" note={away === null ? "no cloud hours in this range" : `${text(away)} in the cloud`}>
				{used === null ? (
					NONE
				) : (
					<>
						<Drill href={chargesOf(view, { part: "owned" })} what="Owned, operational">
							<Carbon grams={grams(used)} estimate />
						</Drill>{" "}
						<span className="text-sm font-book text-ink-3">owned</span>
					</>
				)}
			</Fact>
			<Fact
				label="Market-based"
				note={
					totals.marketUnknownGpuMs >= totals.gpuMs
						? "no power contracts entered"
						: totals.marketUnknownGpuMs > 0n
							? `excludes ${hours(totals.marketUnknownGpuMs)} GPU-hours without a contract`
							: "all usage covered"
				}
			>
				{totals.marketUnknownGpuMs >= totals.gpuMs ? (
					<span className="text-ink-3">unknown</span>
				) : (
					<Grams milligrams={totals.marketMilligrams} estimate={estimate} />
				)}
			</Fact>
		</FactStrip>
	);
}

function hours(gpuMs: bigint): string {
	const value = Number(gpuMs) / HOUR_MS;
	return value < 10 ? value.toFixed(1) : formatCount(value);
}
