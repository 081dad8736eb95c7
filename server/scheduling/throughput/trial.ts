import type { JobSpec } from "#server/domain/job.ts";
import { type Best, bestOf, groupsFor } from "../best-offer.ts";
import { type CloudRun, ratesOn, scoreIn } from "../cost.ts";
import type { OfferRow } from "../offers.ts";
import type { Removal } from "../removal.ts";
import type { RunSpeed } from "./run-speeds.ts";
import { trialKey } from "./trial-keys.ts";

/**
 * Maximum total cost of trials of accelerators for a family of jobs, as a share of the cost of its runs on the best known accelerator.
 * Chosen on Gavel's table with three seeds (83 families, 30 jobs each): 0.2, 0.3 and 0.5 end 6.1, 4.0 and 0.8 % above an oracle after ten
 * runs, and 11, 8 and 4 % above it with all trials counted. Checked on Lambda's table, which was not used for the choice: 1.2 % and 3.4 %.
 */
const TRIAL_SHARE = 0.5;
/** Minimum savings, as a share, that a trial must promise if the accelerator is one standard deviation faster than expected. An assumption. */
const LEAST_GAIN = 0.03;
/**
 * An offer with an accelerator on which this family of jobs never ran, tried because it may be cheaper; null for none.
 *
 * The family's trials so far, by today's expected costs, and this one together may cost TRIAL_SHARE of all its runs. So exploration is a
 * bounded share of the spend, families that never run again are not explored, and an expensive trial waits until the family has run often
 * enough. Of several it tries the one with the lowest optimistic score: sqrt(2 ln(1 + runs)) standard deviations faster than expected
 * (UCB1: Auer, Cesa-Bianchi and Fischer, Machine Learning 47, 2002). One job of a family tries at a time; jobs with a deadline never do.
 */
export function trialOf(
	rows: readonly OfferRow[],
	spec: JobSpec,
	run: CloudRun,
	best: Best,
	exclude: (row: OfferRow) => Removal | null,
): Best | null {
	const { speeds } = run;
	if (speeds === null || spec.deadlineMs !== null || !run.mayWait) return null;
	let runs = 0;
	let spentMicroUsd = 0;
	const untried: (Best & { speed: RunSpeed })[] = [];
	for (const group of groupsFor(rows, run)) {
		const [first] = group;
		if (!first) continue;
		const speed = speeds.on(first.machine.accelerator);
		if (speed.runs > 0) {
			const cheapest = bestOf(group, run, exclude).best;
			runs += speed.runs;
			spentMicroUsd += speed.runs * Math.max(0, (cheapest?.scoreMicroUsd ?? best.scoreMicroUsd) - best.scoreMicroUsd);
		} else if (first.machine.accelerator !== best.row.machine.accelerator) {
			const found = bestOf(group, run, exclude).best;
			if (found) untried.push({ ...found, speed });
		}
	}
	if (runs === 0) return null;
	const allowedMicroUsd = TRIAL_SHARE * (runs + 1) * best.scoreMicroUsd - spentMicroUsd;
	const sds = Math.sqrt(2 * Math.log(1 + runs));
	const open = untried
		.filter(({ scoreMicroUsd }) => scoreMicroUsd - best.scoreMicroUsd <= allowedMicroUsd)
		.filter(({ row }) => !run.terms.trials.has(trialKey(spec, row.machine.accelerator)))
		.map(({ row, scoreMicroUsd, speed }) => {
			const runMs = run.rest.p50Ms * Math.exp(-speed.logMedian - sds * speed.logSd);
			return { row, scoreMicroUsd, optimistic: scoreIn(row, run, ratesOn(row, run.terms), runMs) };
		})
		.filter(({ optimistic }) => optimistic < (1 - LEAST_GAIN) * best.scoreMicroUsd);
	return open.reduce<(typeof open)[number] | null>((least, b) => (least === null || b.optimistic < least.optimistic ? b : least), null);
}
