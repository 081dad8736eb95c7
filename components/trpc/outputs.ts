import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/trpc/router.ts";

/** Procedure outputs by name: the only API types that components use. */
export type Outputs = inferRouterOutputs<AppRouter>;
export type Inputs = inferRouterInputs<AppRouter>;

export type JobView = Outputs["job"]["list"]["items"][number];
export type JobDetail = Outputs["job"]["get"];
export type AttemptView = JobDetail["attemptList"][number];
export type CheckpointView = JobDetail["checkpoints"][number];
export type DecisionView = Outputs["job"]["decisions"][number];
export type CandidateView = DecisionView["candidates"][number];
export type ReceiptView = Outputs["job"]["receipt"];
export type LogPage = Outputs["job"]["logs"];
export type QuoteView = Outputs["quote"];
export type QuotedCandidateView = QuoteView["candidates"][number];
export type ImportView = Outputs["job"]["import"];
export type ReasonView = JobView["reason"];
export type InstanceView = Outputs["instance"]["list"]["items"][number];
export type SiteView = Outputs["site"]["list"][number];
