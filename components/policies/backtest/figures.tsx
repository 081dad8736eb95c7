import { DayBars } from "#components/policies/backtest/day-bars.tsx";
import { prepareFigures } from "#components/policies/backtest/prepare-result.ts";
import { formatDay } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";
import type { BacktestResult } from "#server/domain/backtest.ts";

const WORD = { good: "text-ok-ink", bad: "text-risk-ink", same: "text-ink-3" } as const;

type FiguresProps = {
	result: BacktestResult;
	fromMs: number;
	toMs: number;
	/** Inside a dialog. */
	narrow?: boolean;
	/** Cost, wait, missed deadlines and CO2e only. */
	headline?: boolean;
};

const HEADLINE_FIGURES = 4;

/** Changes by figure, with the daily difference. */
export function Figures({ result, fromMs, toMs, narrow = false, headline = false }: FiguresProps) {
	return (
		<dl
			className={cn(
				"grid grid-cols-2 border-t [&>*]:-mt-px [&>*]:-ml-px [&>*]:border-t [&>*]:border-l",
				headline ? "md:grid-cols-4" : "md:grid-cols-3",
				!narrow && !headline && "xl:grid-cols-6",
			)}
		>
			{prepareFigures(result)
				.slice(0, headline ? HEADLINE_FIGURES : undefined)
				.map((figure) => (
					<div key={figure.id} className="grid min-w-0 auto-rows-min content-start gap-0.5 px-4 pt-3.5 pb-3">
						<dt className="font-medium text-ink-2">{figure.label}</dt>
						<dd className="grid min-w-0 gap-0.5">
							<span className="figures text-xl font-semibold">
								{figure.amount} <span className={cn("text-sm font-strong tracking-normal", WORD[figure.tone])}>{figure.word}</span>
							</span>
							<span className="tabular text-xs text-pretty text-ink-2">{figure.pair}</span>
							{figure.days.length > 1 && (
								<span className="mt-2 grid gap-1">
									<DayBars
										days={figure.days}
										label={figure.label}
										tone={figure.tone === "bad" ? "text-risk" : "text-ink-3"}
										text={figure.dayText}
									/>
									{figure.days.some(Boolean) && (
										<span className="flex justify-between gap-2 text-xs text-ink-3">
											<span>{formatDay(fromMs, false)}</span>
											<span className="max-md:hidden">per day</span>
											<span>{formatDay(toMs, false)}</span>
										</span>
									)}
								</span>
							)}
						</dd>
					</div>
				))}
		</dl>
	);
}
