"use client";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { CheckList } from "./check-list.tsx";
import type { useCheck } from "./use-check.ts";

/** The site check with its results and the save button. */
export function CheckPanel(props: {
	check: ReturnType<typeof useCheck>;
	/** Null if nothing failed. Errors shown at a field are not repeated. */
	failure: unknown;
	marked: boolean;
	saveLabel: string;
	saving: boolean;
	onCheck: () => void;
}) {
	const { check, failure, marked, saveLabel, saving, onCheck } = props;
	return (
		<Panel title="Check" sub="nothing is stored or launched" padded>
			<div className="grid gap-3">
				{check.steps.length === 0 && !check.running && (
					<p className="text-pretty text-ink-2">Checks everything that a launch needs. Changes nothing at the provider.</p>
				)}
				<CheckList steps={check.steps} running={check.running} />
				{check.verdict && (
					<p role="status" className={check.verdict === "passed" ? "font-medium text-ok-ink" : "font-medium text-risk-ink"}>
						{check.verdict === "passed" ? "All checks passed." : "Fix the failed steps, then check again."}
					</p>
				)}
				{(failure !== null || marked) && (
					<p role="alert" className="text-risk-ink">
						{marked ? "Some settings are invalid. See the marked fields." : describeError(failure).detail}
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
				<p className="text-xs text-ink-3">Adding a site costs nothing. Machines launch only when a policy lets a job burst there.</p>
			</div>
		</Panel>
	);
}
