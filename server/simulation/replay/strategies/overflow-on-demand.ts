import type { SeenJob } from "../run.ts";
import { CloudOnDemand } from "./cloud-on-demand.ts";
import { startHome } from "./start-home.ts";

/**
 * Overflow when full: a job that fits at home now starts there; any other goes immediately to the cheapest on-demand offer and runs there
 * to its end. Slurm's power saving does this with cloud nodes in a partition (ResumeProgram, the owned nodes with the lower Weight;
 * slurm.schedmd.com/elastic_computing.html), and so does Kueue with a cloud ResourceFlavor after the owned one.
 */
export class OverflowOnDemand extends CloudOnDemand {
	protected override place(job: SeenJob): void {
		if (!startHome(this.world, job)) super.place(job);
	}
}
