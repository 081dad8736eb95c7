import type { Change } from "#server/domain/change.ts";
import type { useTRPC } from "./client.tsx";

/** The queries to refetch after a change. */
export function changedKeys(trpc: ReturnType<typeof useTRPC>, topic: Change["topic"]): (readonly unknown[])[] {
	switch (topic) {
		case "job":
			return [
				trpc.job.list.pathKey(),
				trpc.job.counts.pathKey(),
				trpc.job.get.pathKey(),
				trpc.job.decisions.pathKey(),
				trpc.job.events.pathKey(),
				// The final charges and log lines arrive with its end.
				trpc.job.receipt.pathKey(),
				trpc.job.logs.pathKey(),
				trpc.overview.pathKey(),
				trpc.site.pathKey(),
			];
		case "instance":
			return [
				trpc.instance.pathKey(),
				trpc.job.get.pathKey(),
				trpc.job.receipt.pathKey(),
				trpc.overview.summary.pathKey(),
				trpc.site.pathKey(),
			];
		case "site":
			return [trpc.site.pathKey(), trpc.offer.pathKey()];
		case "spend":
			return [
				trpc.spend.pathKey(),
				trpc.carbon.pathKey(),
				trpc.budget.pathKey(),
				trpc.job.receipt.pathKey(),
				trpc.job.list.pathKey(),
				trpc.job.get.pathKey(),
				trpc.overview.summary.pathKey(),
			];
		case "policy":
			return [trpc.policy.pathKey(), trpc.budget.pathKey(), trpc.approval.pathKey()];
		case "pipeline":
			return [trpc.pipeline.pathKey(), trpc.trigger.pathKey(), trpc.template.list.pathKey(), trpc.template.get.pathKey()];
		case "approval":
			return [trpc.approval.pathKey()];
		case "alert":
			return [trpc.alert.pathKey(), trpc.channel.pathKey(), trpc.overview.summary.pathKey()];
		case "statement":
			return [trpc.statement.pathKey()];
		case "log":
			return [trpc.job.logs.pathKey()];
	}
}
