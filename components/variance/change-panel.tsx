import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel, PanelSplit } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type Change, type WaterfallStep, waterfall } from "./waterfall.ts";

export const PARTS_SHOWN = 8;
export const CHANGE_COLUMNS = "minmax(0,1fr) minmax(0,1.1fr)";

interface Part<Cause extends string> {
	cause: Cause;
	team: string;
	project: string;
	amount: bigint;
	beforeGpuMs: bigint;
	afterGpuMs: bigint;
}

interface ChangePanelProps<Cause extends string> {
	change: Change<Cause> & { sentence: string | null; parts: readonly Part<Cause>[] };
	/** The dates of the range that it is compared with. */
	before: string;
	/** The causes in the order of the waterfall. */
	order: readonly Cause[];
	words: Readonly<Record<Cause, string>>;
	/** `signed`: a difference. */
	renderAmount: (amount: bigint, signed: boolean) => ReactNode;
	/** The details of a team's project; null if there are none. */
	hrefOf: (team: string, project: string) => string | null;
	/** What hrefOf shows. */
	hrefWhat: string;
}

/** Why a range differs from the previous one: one sentence, a waterfall, and the lines of work behind it. */
export function ChangePanel<Cause extends string>(props: ChangePanelProps<Cause>) {
	const { change, before, renderAmount } = props;
	return (
		<Panel
			id="variance"
			title="What changed"
			sub={change.sentence ?? `compared with ${before}`}
			actions={
				<span title={`Compared with ${before}; causes add up exactly`}>{renderAmount(change.afterAmount - change.beforeAmount, true)}</span>
			}
		>
			<PanelSplit columns={CHANGE_COLUMNS} className="border-t">
				<Waterfall {...props} />
				<Parts {...props} />
			</PanelSplit>
		</Panel>
	);
}

function Waterfall<Cause extends string>({ change, before, order, words, renderAmount }: ChangePanelProps<Cause>) {
	const label = (cause: WaterfallStep<Cause>["cause"]) => (cause === "before" ? before : cause === "after" ? "This range" : words[cause]);
	const { steps, originAmount } = waterfall(change, order);
	const broken = originAmount !== 0n;
	return (
		<dl className="grid content-start gap-y-1.5 px-4 py-3">
			{steps.map((step) => {
				const total = step.cause === "before" || step.cause === "after";
				return (
					<div key={step.cause} className="grid grid-cols-[8.5rem_minmax(0,1fr)_6.5rem] items-center gap-2.5">
						<dt className={cn("truncate", total ? "font-strong" : "text-ink-2")}>{label(step.cause)}</dt>
						<dd aria-hidden className="relative h-4">
							<Bar step={step} total={total} />
							{total && broken && <span className="absolute inset-y-0 left-1.5 w-1 -skew-x-12 border-x border-ink-3 bg-panel" />}
						</dd>
						<dd className="num">{renderAmount(step.amount, !total)}</dd>
					</div>
				);
			})}
			{broken && (
				<div className="flex gap-1 pl-[9.125rem] text-xs text-ink-3">
					<dt>Bars start at</dt>
					<dd>{renderAmount(originAmount, false)}</dd>
				</div>
			)}
		</dl>
	);
}

function Bar<Cause extends string>({ step, total }: { step: WaterfallStep<Cause>; total: boolean }) {
	const left = Math.min(step.from, step.to);
	return (
		<span
			className={cn("mark-exact absolute inset-y-0.5 rounded-xs", total ? "bg-ink-3" : step.amount > 0n ? "bg-risk" : "bg-ok")}
			style={{ left: `${left * 100}%`, width: `max(2px, ${Math.abs(step.to - step.from) * 100}%)` }}
		/>
	);
}

/** The largest effects, each with its details. */
function Parts<Cause extends string>({ change, words, renderAmount, hrefOf, hrefWhat }: ChangePanelProps<Cause>) {
	const hours = (gpuMs: bigint) => formatCount(Math.round(Number(gpuMs) / HOUR_MS));
	return (
		<Table aria-label="Causes by line of work">
			<thead>
				<tr>
					<Th>Line of work</Th>
					<Th>Cause</Th>
					<Th n>GPU-hours</Th>
					<Th n>Change</Th>
				</tr>
			</thead>
			<tbody>
				{change.parts.slice(0, PARTS_SHOWN).map((part) => {
					const href = part.team === "" ? null : hrefOf(part.team, part.project);
					const name = part.team === "" ? "Owned hardware" : part.project || part.team;
					return (
						<Tr key={`${part.cause}-${part.team}-${part.project}`}>
							<Td phone="a">
								{href === null ? (
									name
								) : (
									<Link href={href} className="font-strong hover:underline">
										{name}
										<span className="sr-only">: {hrefWhat}</span>
									</Link>
								)}{" "}
								<span className="text-ink-3">{part.project && part.team}</span>
							</Td>
							<Td phone="c">{words[part.cause]}</Td>
							<Td n phone="d" className="text-ink-3">
								{hours(part.beforeGpuMs)} → {hours(part.afterGpuMs)}
							</Td>
							<Td n phone="b">
								{renderAmount(part.amount, true)}
							</Td>
						</Tr>
					);
				})}
			</tbody>
		</Table>
	);
}
