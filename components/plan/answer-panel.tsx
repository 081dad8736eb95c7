import { required, type StudyResult, shortUsd, span, usd } from "#components/plan/format-plan.ts";
import { cn } from "#components/ui/cn.ts";
import { formatChange } from "#components/ui/format-number.ts";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** The decision in a sentence, its figures, the tests it had to pass, and the pilot. */
export function AnswerPanel({ result: { comparison } }: { result: StudyResult }) {
	const { decision, options, reference } = comparison;
	const burst = required(options, reference);
	const asIs = required(options, "as_is");
	const { low, high } = burst.ranges.cloudPerMonthUsd;
	const facts: [string, string][] = [
		["Time to model", `${span(asIs.meanTimeToModelS)} → ${span(burst.meanTimeToModelS)}`],
		["Change", formatChange(burst.change.meanTimeToModel)],
		["Cloud per month", `≈ ${shortUsd(burst.perMonth.cloudUsd)}`],
		["Range across weeks", `${shortUsd(low)} to ${shortUsd(high)}`],
	];
	return (
		<section className="grid items-start gap-x-12 gap-y-4 py-1 rail:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
			<div>
				<h2 className="mb-2 text-2xl leading-tight font-semibold tracking-tight text-balance">{decision.headline}</h2>
				<p className="mb-4 max-w-[56ch] text-md leading-relaxed text-pretty text-ink-2">{decision.summary}</p>
				<dl className="flex flex-wrap gap-x-6 gap-y-3">
					{facts.map(([term, value]) => (
						<div key={term}>
							<dt className="text-xs text-ink-3">{term}</dt>
							<dd className="tabular text-lg font-semibold tracking-tight">{value}</dd>
						</div>
					))}
				</dl>
				{decision.verdict !== "no_go" && <PilotText pilot={decision.pilot} />}
			</div>
			<DecisionTests tests={decision.tests} />
		</section>
	);
}

type Decision = StudyResult["comparison"]["decision"];

export function DecisionTests({ tests }: { tests: Decision["tests"] }) {
	const passed = tests.filter((test) => test.passed).length;
	return (
		<Table aria-label="Tests of the decision" className="[&_td:first-child]:pl-0 [&_th:first-child]:pl-0">
			<thead>
				<tr>
					<Th>Requirement</Th>
					<Th n>Result</Th>
					<Th n>Met</Th>
				</tr>
			</thead>
			<tbody>
				{tests.map(({ test, found, passed: isPassed }) => (
					<Tr key={test}>
						<Td phone="a" className="h-8.5 whitespace-normal!">
							{test}
						</Td>
						<Td n phone="c" className="h-8.5 max-md:text-left!">
							{found}
						</Td>
						<Td n phone="b" className={cn("h-8.5 font-semibold", isPassed ? "text-ok-ink" : "text-risk-ink")}>
							{isPassed ? "yes" : "no"}
						</Td>
					</Tr>
				))}
				<Tr total>
					<Td phone="a" className="h-8.5 whitespace-normal!">
						All four are required to burst, three to buy
					</Td>
					<Td className="h-8.5" />
					<Td n phone="b" className="h-8.5">
						{passed} of {tests.length}
					</Td>
				</Tr>
			</tbody>
		</Table>
	);
}

export function PilotText({ pilot }: { pilot: Decision["pilot"] }) {
	return (
		<div className="mt-4 grid max-w-[62ch] gap-1 text-ink-2">
			<h3 className="font-semibold text-ink">Proposed pilot</h3>
			<p className="text-pretty">
				{pilot.family} ({pilot.team}), {pilot.policy.toLowerCase()}, {pilot.weeks} weeks, at most {usd(pilot.capUsd)}.
			</p>
			<p className="text-pretty">Measure: {pilot.measure.join("; ")}.</p>
			<p className="text-pretty">Stop when: {pilot.stopWhen.join("; ")}.</p>
		</div>
	);
}
