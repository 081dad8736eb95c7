import { formatMoney } from "#components/money/format-money.ts";
import { signedSpan } from "#components/policies/backtest/prepare-result.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { formatCount } from "#components/ui/format-number.ts";

type Estimate = NonNullable<Outputs["backtest"]["get"]["estimate"]>;

/** First figures of a running backtest, from a sample. */
export function EstimateFigures({ estimate: e, toMs }: { estimate: Estimate; toMs: number }) {
	const cost = BigInt(e.draftCostMicroUsd) - BigInt(e.publishedCostMicroUsd);
	const abs = cost < 0n ? -cost : cost;
	const error = (text: string | null) => (text === null ? "error unknown" : `± ${text}`);
	return (
		<section aria-label="Estimate" className="grid gap-2">
			<dl className="grid gap-3 sm:grid-cols-2">
				<Row
					label="Cloud cost"
					value={cost === 0n ? "No change" : `≈ ${formatMoney(abs, "whole")} ${cost < 0n ? "less" : "more"}`}
					error={error(e.costErrorMicroUsd === null ? null : formatMoney(e.costErrorMicroUsd, "whole"))}
				/>
				<Row
					label="Average wait"
					value={`≈ ${signedSpan(e.draftMeanWaitMs - e.publishedMeanWaitMs)}`}
					error={error(e.waitErrorMs === null ? null : formatSpan(e.waitErrorMs))}
				/>
			</dl>
			<p className="text-xs text-pretty text-ink-2">
				Estimated from {formatCount(e.jobs)} of {formatCount(e.ofJobs)} jobs: the last {formatSpan(toMs - e.fromMs)}. Caps reached earlier
				are not included.
			</p>
		</section>
	);
}

function Row({ label, value, error }: { label: string; value: string; error: string }) {
	return (
		<div>
			<dt className="font-medium text-ink-2">{label}</dt>
			<dd className="figures text-lg font-semibold">
				{value} <span className="text-sm font-book text-ink-2">{error}</span>
			</dd>
		</div>
	);
}
