"use client";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { CheckList } from "./check-list.tsx";
import type { useCheck } from "./use-check.ts";

/** The check, what it found, and the way on. */
export function CheckPanel(props: {
	check: ReturnType<typeof useCheck>;
	/** Null: nothing failed. What is told at a box is not told again. */
	failure: unknown;
	marked: boolean;
	saveLabel: string;
	saving: boolean;
	onCheck: () => void;
}) {
	const { check, failure, marked, saveLabel, saving, onCheck } = props;
	return (
		<Panel title="Check" sub="before anything is stored or bought" padded>
			<div className="grid gap-3">
				{check.steps.length === 0 && !check.running && (
					<p className="text-pretty text-ink-2">
						Looks at everything that a launch will need, step by step. Nothing is changed at the provider.
					</p>
				)}
				<CheckList steps={check.steps} running={check.running} />
				{check.verdict && (
					<p role="status" className={check.verdict === "passed" ? "font-medium text-ok-ink" : "font-medium text-risk-ink"}>
						{check.verdict === "passed" ? "Nothing stands in the way." : "Mend what failed, and check again."}
					</p>
				)}
				{(failure !== null || marked) && (
					<p role="alert" className="text-risk-ink">
						{marked ? "Some settings are not right; each is marked." : describeError(failure).detail}
					</p>
				)}
				<div className="flex flex-wrap gap-2">
					<Button type="button" busy={check.running} onClick={onCheck}>
						Check
					</Button>
					<Button type="submit" variant="primary" busy={saving} disabled={check.running}>
						{saveLabel}
					</Button>
				</div>
				<p className="text-xs text-ink-3">Adding a site buys nothing: machines are bought when a policy lets a job burst there.</p>
			</div>
		</Panel>
	);
}
