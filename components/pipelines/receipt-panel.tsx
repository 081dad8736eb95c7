import { Money } from "#components/money/money.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Chip } from "#components/ui/chip.tsx";
import { formatCount, formatThreeDigits } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { stepStateOf } from "./step-state.ts";

type Detail = Outputs["pipeline"]["get"];
const ROWS_MAX = 500;

/** The receipt: what each step cost, next to its quote. */
export function ReceiptPanel({ detail }: { detail: Detail }) {
	const quoted = new Map(detail.quote?.stepList.map((step) => [step.name, step]));
	const steps = detail.stepList.slice(0, ROWS_MAX);
	const sub = steps.length < detail.stepList.length ? `first ${formatCount(ROWS_MAX)} steps` : undefined;
	return (
		<Panel title="Receipt" sub={sub}>
			<Table aria-label="Receipt by step">
				<thead>
					<tr>
						<Th>Step</Th>
						<Th>State</Th>
						<Th n>Runs done</Th>
						<Th n>Time</Th>
						<Th n>Quoted</Th>
						<Th n>At most</Th>
						<Th n>Cost</Th>
						<Th n>g CO₂e</Th>
					</tr>
				</thead>
				<tbody>
					{steps.map((step) => (
						<StepRow key={step.name} step={step} quoted={quoted.get(step.name)} />
					))}
					<Tr total>
						<Td phone="a">Total</Td>
						<Td />
						<Td n>
							{formatCount(detail.counts.succeeded)} of {formatCount(detail.runs)}
						</Td>
						<Td />
						<Td n>{detail.quote && <Money value={detail.quote.expectedMicroUsd} kind="estimate" />}</Td>
						<Td n>{detail.quote && <Money value={detail.quote.maximumMicroUsd} kind="whole" />}</Td>
						<Td n phone="b">
							<Money value={detail.costMicroUsd} />
						</Td>
						<Td n>{formatThreeDigits(detail.emissionsGrams)}</Td>
					</Tr>
				</tbody>
			</Table>
		</Panel>
	);
}

type Step = Detail["stepList"][number];
type Quoted = NonNullable<Detail["quote"]>["stepList"][number];

function StepRow({ step, quoted }: { step: Step; quoted: Quoted | undefined }) {
	const { label, tone } = stepStateOf(step);
	const { startedAt, finishedAt } = step;
	return (
		<Tr>
			<Td phone="a">{step.name}</Td>
			<Td phone="c">
				<Chip tone={tone}>{label}</Chip>
				{step.why && <span className="ml-2 text-ink-3">{step.why}</span>}
			</Td>
			<Td n phone="d">
				{formatCount(step.counts.succeeded)} of {formatCount(step.runs)}
			</Td>
			<Td n>{startedAt && finishedAt ? formatSpan(Date.parse(finishedAt) - Date.parse(startedAt)) : null}</Td>
			<Td n>{quoted && <Money value={quoted.expectedMicroUsd} kind="estimate" />}</Td>
			<Td n>{quoted && <Money value={quoted.maximumMicroUsd} kind="whole" />}</Td>
			<Td n phone="b">
				<Money value={step.costMicroUsd} />
			</Td>
			<Td n>{formatThreeDigits(step.emissionsGrams)}</Td>
		</Tr>
	);
}
