"use client";
import { useState } from "react";
import { Carbon } from "#components/carbon/carbon.tsx";
import { StateMark, type StateName } from "#components/job-state/state-mark.tsx";
import type { MoneyKind } from "#components/money/format-money.ts";
import { Money, PriceMissing } from "#components/money/money.tsx";
import { type CapacityKind, Place } from "#components/place/place.tsx";
import { Deadline } from "#components/time/deadline.tsx";
import { RangeAxis, RangeMark } from "#components/time/range-mark.tsx";
import { Elapsed, Span, Time } from "#components/time/relative-time.tsx";
import { Button, IconButton } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Chip, FilterChip, Health } from "#components/ui/chip.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Input, SearchInput, Select, Textarea } from "#components/ui/input.tsx";
import { Kbd } from "#components/ui/kbd.tsx";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { Meter } from "#components/ui/meter.tsx";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";
import { SegmentedControl, SegmentedLinks } from "#components/ui/segmented.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { notify } from "#components/ui/toast.tsx";
import { Tooltip } from "#components/ui/tooltip.tsx";

const STATES: StateName[] = [
	"held",
	"queued",
	"admitted",
	"running",
	"succeeded",
	"failed",
	"cancelled",
	"stopping",
	"interrupted",
	"lost",
	"terminated",
];
const AMOUNTS: [bigint, MoneyKind][] = [
	[89_578_170_000n, "posted"],
	[4_210n, "posted"],
	[403_060_000n, "estimate"],
	[4_130_000n, "estimate"],
	[4_210n, "estimate"],
	[50_000_000_000n, "whole"],
	[23_410_000n, "price"],
	[-15_558_730_000n, "posted"],
];
const CAPACITIES: CapacityKind[] = ["owned", "spot", "on_demand", "reserved"];

export function GalleryForms({ nowMs }: { nowMs: number }) {
	return (
		<>
			<TabLinks
				label="Views"
				current="all"
				tabs={[
					{ id: "all", label: "Active and ended today", href: "?view=all", count: 28 },
					{ id: "cloud", label: "In the cloud", href: "?view=cloud", count: 3 },
					{ id: "late", label: "Deadline in 24 h", href: "?view=late", count: 6 },
				]}
				end={<span className="text-xs text-ink-3">Copied from demand-tft</span>}
			/>
			<FactStrip columns="1.35fr 1fr 1fr 1.15fr 1fr .8fr">
				<Fact label="Where it is" wide note="Spot, 8 × H100 for 1 h 48">
					<Place capacity="spot" provider="gcp" region="europe-west4" word={false} />
				</Fact>
				<Fact label="Progress" graphic={<Meter value={26} max={100} label="26% done" />} note="19,780 of 75,000 steps">
					26%
				</Fact>
				<Fact label="Finish" note="by 04:10 in 9 of 10">
					<span className="text-ink-2">≈ Fri 02:32</span>
				</Fact>
				<Fact
					label="Room before the deadline"
					wide
					graphic={<Meter value={70} max={100} label="3 h 50 of room" />}
					note="After 12 h work, 1 h 38 reserve"
				>
					3 h 50
				</Fact>
				<Fact label="Cost so far" note="of ≈ $403, limit $600">
					<Money value={127_110_000n} />
				</Fact>
				<Fact label="CO2 so far" note="of ≈ 34 kg">
					<Carbon grams={11_200} />
				</Fact>
			</FactStrip>
			<div className="grid gap-4 rail:grid-cols-[1.35fr_1fr_1fr]">
				<Marks nowMs={nowMs} />
				<Form />
				<Controls />
			</div>
		</>
	);
}

function Marks({ nowMs }: { nowMs: number }) {
	return (
		<Panel title="Marks">
			<PanelSplit columns="9rem 1fr">
				<div className="grid gap-1.5 px-4 pb-4">
					{STATES.map((state) => (
						<StateMark key={state} state={state} progress={0.26} />
					))}
				</div>
				<div className="grid content-start gap-1.5 px-4 pb-4">
					{CAPACITIES.map((capacity) => (
						<Place key={capacity} capacity={capacity} provider={capacity === "owned" ? "hall-b" : "aws us-east-2"} />
					))}
					{CAPACITIES.map((capacity) => (
						<Place key={capacity} capacity={capacity} provider={capacity === "owned" ? "hall-b" : "aws us-east-2"} would />
					))}
					<div className="mt-2 grid justify-items-end gap-1">
						{AMOUNTS.map(([value, kind]) => (
							<Money key={`${value}${kind}`} value={value} kind={kind} />
						))}
						<PriceMissing why="stale" />
					</div>
				</div>
			</PanelSplit>
			<div className="border-t px-4 py-3">
				<DefinitionList
					items={[
						{ id: "a", term: "Seen", value: <Time atMs={nowMs - 4_000} /> },
						{ id: "b", term: "Asked", value: <Time atMs={nowMs - 26 * 60_000} /> },
						{ id: "c", term: "Runs for", value: <Elapsed sinceMs={nowMs - 190_000} precise /> },
						{ id: "d", term: "Wait", value: <Span ms={42 * 60_000} estimate /> },
						{
							id: "e",
							term: (
								<RangeAxis
									ticks={[
										{ share: 0, label: "now" },
										{ share: 0.5, label: "2 h" },
										{ share: 1, label: "4 h" },
									]}
								/>
							),
							value: <RangeMark p10Ms={14 * 60_000} p50Ms={31 * 60_000} p90Ms={74 * 60_000} axisMs={240 * 60_000} place="owned" />,
						},
						{
							id: "f",
							term: "Beyond the axis",
							value: <RangeMark p10Ms={80 * 60_000} p50Ms={138 * 60_000} p90Ms={290 * 60_000} axisMs={240 * 60_000} place="cloud" />,
						},
						{
							id: "g",
							term: "Room",
							value: <Deadline deadlineMs={nowMs + 8 * 3_600_000} submittedMs={nowMs - 3_600_000} remainingMs={3_600_000} />,
						},
						{
							id: "h",
							term: "Little room",
							value: <Deadline deadlineMs={nowMs + 85 * 60_000} submittedMs={nowMs - 7_200_000} remainingMs={3_600_000} />,
						},
						{
							id: "i",
							term: "Late",
							value: <Deadline deadlineMs={nowMs + 600_000} submittedMs={nowMs - 7_200_000} remainingMs={3_600_000} />,
						},
						{
							id: "j",
							term: "Met",
							value: <Deadline deadlineMs={nowMs} submittedMs={nowMs - 7_200_000} remainingMs={0} finishedMs={nowMs - 110 * 60_000} />,
						},
					]}
				/>
			</div>
		</Panel>
	);
}

function Form() {
	return (
		<Panel title="Job" actions={<Button size="sm">Templates</Button>} padded>
			<div className="grid grid-cols-2 gap-3">
				<Field label="Name" htmlFor="g-name">
					<Input id="g-name" defaultValue="demand-tft" />
				</Field>
				<Field label="Team" htmlFor="g-team">
					<Select id="g-team" defaultValue="forecasting">
						<option>forecasting</option>
						<option>risk</option>
					</Select>
				</Field>
				<Field label="Image" htmlFor="g-image" className="col-span-full" hint="Optional on the local site">
					<Input id="g-image" mono aria-describedby="g-image-note" defaultValue="registry.hall-b/forecast/tft:2026.11" />
				</Field>
				<Field label="Expected run time" htmlFor="g-dur" error="A length of time needs a unit: 30m or 30h.">
					<Input id="g-dur" aria-invalid aria-describedby="g-dur-note" defaultValue="30" />
				</Field>
				<Field label="Command" htmlFor="g-cmd" className="col-span-full">
					<Textarea id="g-cmd" mono defaultValue={"torchrun --nproc-per-node 8 train.py\n  --epochs 10"} />
				</Field>
				<CheckField
					className="col-span-full"
					defaultChecked
					label="May be interrupted"
					hint="It saves a checkpoint every 20 min, so spot machines are open to it"
				/>
			</div>
		</Panel>
	);
}

function Controls() {
	const [gpus, setGpus] = useState<"1" | "2" | "4" | "8">("8");
	const [asking, setAsking] = useState(false);
	const [state, setState] = useState<string | null>("active");
	return (
		<Panel>
			<PanelHeader
				title="Controls"
				actions={
					<Menu
						label="Group by state"
						size="sm"
						entries={[
							{ kind: "item", id: "a", label: "Group by team" },
							{ kind: "line", id: "l" },
							{ kind: "item", id: "b", label: "Cancel", tone: "risk", icon: "stop", hint: "x" },
						]}
					/>
				}
			/>
			<div className="grid justify-items-start gap-3 px-4 pb-4">
				<div className="flex flex-wrap gap-2">
					<Button variant="primary">Submit</Button>
					<Button icon="refresh">Retry</Button>
					<Button variant="danger" onClick={() => setAsking(true)}>
						Cancel job
					</Button>
					<Button variant="quiet">Export CSV</Button>
					<Button disabled>Disabled</Button>
					<IconButton icon="download" label="Download" />
				</div>
				<SearchInput label="Name, id, team or tag" className="w-60" />
				<div className="flex flex-wrap gap-2">
					<FilterChip label="State" value={state} onClear={() => setState(null)} onOpen={() => setState("active")} />
					<FilterChip label="Team" />
				</div>
				<SegmentedControl
					label="GPUs"
					name="gpus"
					value={gpus}
					onChange={setGpus}
					options={(["1", "2", "4", "8"] as const).map((value) => ({ value, label: value }))}
				/>
				<SegmentedLinks
					label="Group by"
					value="team"
					options={[
						{ value: "team", label: "Team", href: "?by=team" },
						{ value: "class", label: "Class", href: "?by=class" },
						{ value: "region", label: "Region", href: "?by=region" },
					]}
				/>
				<div className="flex flex-wrap items-center gap-2">
					<Chip tone="accent">Running</Chip>
					<Chip tone="warn">Held</Chip>
					<Health tone="ok">seen 4 s ago</Health>
					<Health tone="warn">1 GPU hot</Health>
					<Health tone="risk">lost</Health>
				</div>
				<CopyId value="job_01JD8K3V7Q2M" />
				<Tooltip content="Half of such jobs start by then; 9 in 10 by the right end">what the range means</Tooltip>
				<Button onClick={() => notify({ tone: "done", title: "Job submitted", detail: "It waits at home until about 15:14." })}>
					Say something
				</Button>
				<p>
					Press <Kbd>?</Kbd> for all shortcuts.
				</p>
			</div>
			<Dialog
				open={asking}
				onClose={() => setAsking(false)}
				title="Cancel fraud-v7?"
				description="It stops with time for a checkpoint; the machine is given back at once."
				actions={
					<>
						<Button onClick={() => setAsking(false)}>Keep it</Button>
						<Button variant="danger" onClick={() => setAsking(false)}>
							Cancel job
						</Button>
					</>
				}
			/>
		</Panel>
	);
}
