import { Money } from "#components/money/money.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";

type Quote = Outputs["template"]["quote"];

/** Start, finish and cost of a run, and what would stop it. */
export function QuoteFacts({ quote }: { quote: Quote }) {
	const problem = problemOf(quote);
	return (
		<div className="grid gap-2">
			<dl className="flex flex-wrap gap-x-8 gap-y-2" aria-label="Quote">
				{factsOf(quote).map(([term, value]) => (
					<div key={term}>
						<dt className="text-xs text-ink-3">{term}</dt>
						<dd className="tabular font-semibold">{value}</dd>
					</div>
				))}
			</dl>
			{problem && (
				<p role="status" className="text-risk-ink">
					{problem}
				</p>
			)}
		</div>
	);
}

function factsOf({ pipeline, job }: Quote): [string, React.ReactNode][] {
	if (pipeline)
		return [
			["Start", <Time key="start" atMs={Date.parse(pipeline.start.p50)} form="short" />],
			["Finish", <Time key="finish" atMs={Date.parse(pipeline.finish.p50)} form="short" />],
			["Expected cost", <Money key="expected" value={pipeline.expectedMicroUsd} kind="estimate" />],
			["At most", <Money key="most" value={pipeline.maximumMicroUsd} kind="whole" />],
		];
	if (!job?.expected) return [["Jobs", "1"]];
	return [
		["Start", <Time key="start" atMs={job.expected.start.p50Ms} form="short" />],
		["Finish", <Time key="finish" atMs={job.expected.finish.p50Ms} form="short" />],
		["Expected new spend", <Money key="expected" value={job.expected.cashMicroUsd} kind="estimate" />],
	];
}

function problemOf({ pipeline, job }: Quote): string | null {
	if (job) return job.expected ? null : job.reason.message;
	if (pipeline && !pipeline.isWithinBudget) return "Over the pipeline's budget: it would be refused.";
	const short = pipeline?.budgets.find(({ isEnough }) => !isEnough);
	if (short) return `Budget ${short.budgetId} has too little left: it would be refused.`;
	return pipeline?.stepList.find(({ reason }) => reason !== null)?.reason ?? null;
}
