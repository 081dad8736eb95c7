import Link from "next/link";
import { Carbon } from "#components/carbon/carbon.tsx";
import { DemandChart } from "#components/charts/demand-chart.tsx";
import { Sparkline } from "#components/charts/sparkline.tsx";
import { demoDemand, demoSmallDemand } from "#components/gallery/demo-demand.ts";
import { Money } from "#components/money/money.tsx";
import { Lead } from "#components/page/page-header.tsx";
import { Place, PlaceSwatch } from "#components/place/place.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { Kpi, KpiStrip } from "#components/ui/kpi.tsx";
import { BudgetBar, NodeBar, RangeTrack, ShareBar } from "#components/ui/meter.tsx";
import { Panel } from "#components/ui/panel.tsx";

const BURN = [
	[0, 41],
	[1.3, 72],
	[2.9, 64],
	[4.9, 52],
	[6.1, 33],
	[7.4, 9.6],
	[17.55, 33.03],
	[18.7, 56.44],
	[19.67, 79.85],
	[21.4, 56.44],
	[21.77, 33.03],
	[21.92, 54.86],
] as const;

export function GalleryOverview({ nowMs }: { nowMs: number }) {
	const day = nowMs - 24 * 3_600_000;
	return (
		<>
			<Lead>
				<b>Everything is running.</b> hall-b is 95% busy, and <Link href="/jobs">3 of 9 jobs</Link> run in the cloud for{" "}
				<b>$54.86 an hour</b>. The month should end <b>$3,100 under budget</b>; at the high end it would be{" "}
				<Link href="/spend">$2,400 over</Link>. <Link href="/jobs">2 jobs wait for an approval</Link>.
			</Lead>
			<KpiStrip label="Right now" columns="1.02fr 1.06fr .96fr 1.62fr .86fr .84fr">
				<Kpi
					label="Owned GPUs busy"
					value="61"
					unit="of 64"
					href="/sites"
					graphic={<NodeBar label="61 of 64 busy" nodes={[1, 1, 1, 1, 1, 1, 1, 0.62].map((busy, i) => ({ id: String(i), busy }))} />}
					note={
						<>
							<b>$58,096</b> in November, of which <b>$7,860</b> idle
						</>
					}
				/>
				<Kpi
					label="Jobs queued"
					value="14"
					unit="want 58 GPUs"
					graphic={<RangeTrack middle={42} high={115} max={120} label="Half start in 42 min, 9 in 10 in 1 h 55" />}
					note={
						<>
							New 8-GPU jobs: half start in <b>≈ 42 min</b>, 9 in 10 in <b>1 h 55</b>
						</>
					}
				/>
				<Kpi
					label="Cloud burn now"
					value={<Money value={54_860_000n} kind="price" />}
					unit="an hour"
					graphic={
						<Sparkline
							className="h-2.5"
							label="Cloud burn in the last 24 hours, up to $79.85 an hour"
							toMs={nowMs}
							points={BURN.map(([h, value]) => ({ atMs: day + h * 3_600_000, value }))}
						/>
					}
					note={
						<>
							3 machines, all spot. Today's highest <b>$79.85</b>
						</>
					}
				/>
				<Kpi
					wide
					label="Cloud spend in November"
					value="$31,482"
					unit="of $50,000 budget"
					graphic={
						<BudgetBar
							posted={31_482}
							held={4_210}
							cap={50_000}
							forecast={{ low: 43_100, middle: 46_900, high: 52_400 }}
							label="$31,482 posted, $4,210 held, forecast $43,100 to $52,400, cap $50,000"
						/>
					}
					note={
						<>
							<b>$4,210</b> more held for running jobs. Month end ≈ <b>$46,900</b> (43,100 to 52,400)
						</>
					}
				/>
				<Kpi label="Money at risk" value="$0" graphic={<span />} note="No deadline in danger, no stray machine" />
				<Kpi
					label="CO2 in November"
					value={<Carbon grams={6_420_000} />}
					graphic={
						<ShareBar
							className="h-2.5"
							gap
							label="5.08 t owned, 1.34 t cloud"
							parts={[
								{ id: "o", value: 5.08, fill: "carbon", label: "5.08 t owned" },
								{ id: "c", value: 1.34, fill: "carbon_soft", label: "1.34 t cloud" },
							]}
						/>
					}
					note={
						<>
							<b>5.08 t</b> owned
							<br />
							<b>1.34 t</b> cloud
						</>
					}
				/>
			</KpiStrip>
			<Panel
				title="Demand for GPUs"
				actions={<span className="max-md:hidden">Below the line runs at home; above it runs in the cloud or waits</span>}
			>
				<DemandChart input={demoDemand(nowMs)} />
			</Panel>
			<Panel title="Demand for GPUs" sub="four slots, with a gap in the measurement">
				<DemandChart input={demoSmallDemand(nowMs)} height={260} />
			</Panel>
			<div className="grid gap-4 rail:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
				<Feed nowMs={nowMs} />
				<Panel title="In the cloud now" actions={<Link href="/sites">Capacity</Link>} padded>
					<ul className="divide-y divide-line/60">
						{(["aws us-east-2", "gcp europe-west4", "aws us-west-2"] as const).map((where, i) => (
							<li key={where} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2">
								<Link href="/jobs" className="font-strong">
									{["clip-domain-adapt", "fraud-v7", "esm-fold-650m"][i]}
								</Link>
								<span className="num">
									<Money value={[23_410_000n, 21_830_000n, 9_620_000n][i] ?? 0n} kind="price" />
									/h
								</span>
								<Place capacity="spot" provider={where} quiet className="text-xs text-ink-3" />
								<span className="num text-xs text-ink-3">
									ends <Time atMs={nowMs + (i + 1) * 13 * 3_600_000} form="short" />
								</span>
							</li>
						))}
					</ul>
				</Panel>
			</div>
		</>
	);
}

function Feed({ nowMs }: { nowMs: number }) {
	const events = [
		{
			min: 3,
			capacity: "spot" as const,
			text: (
				<>
					<b className="font-strong text-ink">fraud-v7-eval</b> admitted to aws us-east-2 spot, machine requested
				</>
			),
			amount: <Money value={700_000_000n} kind="estimate" />,
		},
		{
			min: 45,
			capacity: "owned" as const,
			text: (
				<>
					<b className="font-strong text-ink">price-nhits-w46</b> finished on hall-b, 1 h 50 before its deadline
				</>
			),
			amount: <Money value={31_140_000n} />,
		},
		{
			min: 130,
			capacity: "spot" as const,
			text: (
				<>
					<b className="font-strong text-ink">fraud-v7</b> lost its spot machine at aws us-east-2 and runs again at gcp europe-west4 since
					12:44; 14 min of work repeated
				</>
			),
			amount: <Money value={5_460_000n} />,
		},
	];
	return (
		<Panel title="Just happened">
			<ol className="px-4 pb-2.5">
				{events.map((event) => (
					<li key={event.min} className="grid grid-cols-[2.75rem_0.625rem_1fr_auto] items-baseline gap-x-2.5 py-1.75">
						<Time atMs={nowMs - event.min * 60_000} form="clock" className="text-ink-3" />
						<PlaceSwatch capacity={event.capacity} />
						<p className="text-pretty text-ink-2">{event.text}</p>
						<span className="num max-md:hidden">{event.amount}</span>
					</li>
				))}
			</ol>
		</Panel>
	);
}
