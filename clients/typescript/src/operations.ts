// Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.
import type * as t from "./types.ts";

/** Arguments and answers by operation. */
export interface Operations {
	/** Submit one job, or up to 1,000 as {items}: all are accepted or none. */
	"job.create": {
		arguments: { body: t.JobDocument | t.JobCreateBody | string };
		answer: t.JobCreateOutput;
	};
	/** List jobs, newest first. */
	"job.list": {
		arguments: {
			state?: t.JobState | readonly t.JobState[];
			team?: string | readonly string[];
			class?: t.JobClass | readonly t.JobClass[];
			site?: string;
			mine?: boolean;
			trials?: "all" | "live";
			q?: string;
			endedSince?: string;
			cursor?: string;
			limit?: number;
		};
		answer: t.JobListOutput;
	};
	/** Count jobs by state, team, class and site with the filters of the list. */
	"job.facets": {
		arguments: {
			state?: t.JobState | readonly t.JobState[];
			team?: string | readonly string[];
			class?: t.JobClass | readonly t.JobClass[];
			site?: string;
			mine?: boolean;
			trials?: "all" | "live";
			q?: string;
			endedSince?: string;
		};
		answer: t.JobFacets;
	};
	/** Get a job with its attempts, instances and checkpoints. */
	"job.get": {
		arguments: { id: string };
		answer: t.JobDetail;
	};
	/** Cancel a job; a running job stops first. */
	"job.cancel": {
		arguments: { id: string };
		answer: t.JobCancelOutput;
	};
	/** Cancel, hold, release, resume, retry or move up to 1,000 jobs, or set their priority. */
	"job.act": {
		arguments: { body: t.JobActBody | t.JobActBodyMove | t.JobActBodySetPriority };
		answer: t.JobActOutput;
	};
	/** Let a job that was held for attempts without progress use the cloud again. */
	"job.resume": {
		arguments: { id: string };
		answer: t.JobResumeOutput;
	};
	/** Read log lines of an attempt, or follow the job's log as NDJSON. */
	"job.readLogs": {
		arguments: { id: string; attempt?: number; after?: number; tail?: number; limit?: number; follow?: boolean };
		answer: t.LogPage;
		line: t.JobReadLogsLine;
	};
	/** List the decisions made for a job, newest first, with every place considered. */
	"job.decisions": {
		arguments: { id: string };
		answer: t.JobDecisionsOutput;
	};
	/** Repeat a recorded decision with the facts recorded then. */
	"job.replay": {
		arguments: { id: string; decision?: string };
		answer: t.Replay;
	};
	/** Explain why a job is waiting and what would change that. */
	"job.waiting": {
		arguments: { id: string };
		answer: t.Waiting;
	};
	/** Get GPU utilization and power of a job's cloud machines. */
	"job.gpuUse": {
		arguments: { id: string };
		answer: t.JobGpuUse;
	};
	/** Get the cost of a job by attempt and line. */
	"job.receipt": {
		arguments: { id: string };
		answer: t.Receipt;
	};
	/** Metrics that a job reported, with at most 500 points each. */
	"job.metrics": {
		arguments: { id: string };
		answer: t.JobMetricsOutput;
	};
	/** Runs of a job that are forwarded to an MLflow server. */
	"job.mlflow": {
		arguments: { id: string };
		answer: t.JobMlflowOutput;
	};
	/** Estimate where, when and at what cost a job would run; writes nothing. */
	"job.quote": {
		arguments: { body: t.JobDocument | string };
		answer: t.Quote;
	};
	/** Convert a Slurm batch script to jobs and report each line; submits nothing. */
	"job.importBatchScript": {
		arguments: { team?: string; zoneOffsetMinutes?: number; body: t.JobImportBatchScriptBody | string };
		answer: t.Import;
	};
	/** Convert Kubernetes manifests to jobs and report each field; submits nothing. */
	"job.importManifests": {
		arguments: { team?: string; zoneOffsetMinutes?: number; body: t.JobImportBatchScriptBody | string };
		answer: t.Import;
	};
	/** List your saved views of the job list, and those shared with your teams. */
	"view.list": {
		arguments: Record<never, never>;
		answer: t.ViewListOutput;
	};
	/** Save a view of the job list, for yourself or shared with a team. */
	"view.create": {
		arguments: { body: t.ViewCreateBody };
		answer: t.SavedView;
	};
	/** Rename, change or share a view of yours. */
	"view.update": {
		arguments: { id: string; body?: t.ViewUpdateBody };
		answer: t.SavedView;
	};
	/** Delete a view of yours. */
	"view.delete": {
		arguments: { id: string };
		answer: t.ViewDeleteOutput;
	};
	/** Submit a pipeline or sweep: all of its steps are accepted or none. */
	"pipeline.create": {
		arguments: { body?: t.PipelineCreateBody | string };
		answer: t.PipelineCreateOutput;
	};
	/** List pipelines and sweeps, newest first. */
	"pipeline.list": {
		arguments: {
			state?: t.PipelineState | readonly t.PipelineState[];
			kind?: "Pipeline" | "Sweep";
			team?: string | readonly string[];
			q?: string;
			cursor?: string;
			limit?: number;
		};
		answer: t.PipelineListOutput;
	};
	/** Quote a pipeline or sweep: start, finish, cost and emissions of the whole and of each step. */
	"pipeline.quote": {
		arguments: { body?: t.PipelineCreateBody | string };
		answer: t.PipelineQuote;
	};
	/** Get a pipeline with the state, cost and times of each step. */
	"pipeline.get": {
		arguments: { id: string };
		answer: t.PipelineDetail;
	};
	/** List the runs of a pipeline's steps with their jobs. */
	"pipeline.runs": {
		arguments: { id: string; step?: string; after?: number; limit?: number };
		answer: t.PipelineRunsOutput;
	};
	/** List the trials of a sweep with their values, metric and cost. */
	"pipeline.trials": {
		arguments: { id: string; metric?: string };
		answer: t.Trials;
	};
	/** Convert Argo workflows or a compiled Kubeflow pipeline to pipelines and report each loss; submits nothing. */
	"pipeline.importWorkflows": {
		arguments: { team?: string; zoneOffsetMinutes?: number; body: t.JobImportBatchScriptBody | string };
		answer: t.ImportedPipelines;
	};
	/** Cancel a pipeline; running jobs stop first. */
	"pipeline.cancel": {
		arguments: { id: string };
		answer: t.PipelineCancelOutput;
	};
	/** Run the unsuccessful steps of an ended pipeline again, or a step and all that need it. */
	"pipeline.retry": {
		arguments: { id: string; body?: t.PipelineRetryBody };
		answer: t.PipelineRetryOutput;
	};
	/** Save a trigger, or change the one of the same name and team. */
	"trigger.create": {
		arguments: { body?: t.TriggerCreateBody | string };
		answer: t.TriggerCreateOutput;
	};
	/** List triggers with their next time and last firings. */
	"trigger.list": {
		arguments: { team?: string };
		answer: t.TriggerListOutput;
	};
	/** Enable or disable a trigger. */
	"trigger.enable": {
		arguments: { id: string; body?: t.TriggerEnableBody };
		answer: t.TriggerEnableOutput;
	};
	/** Delete a trigger; its pipelines stay. */
	"trigger.remove": {
		arguments: { id: string };
		answer: t.TriggerRemoveOutput;
	};
	/** List the templates of your teams by name. */
	"template.list": {
		arguments: { team?: string };
		answer: t.TemplateListOutput;
	};
	/** Save a job, pipeline or sweep as a template of its team, or a new version of one. */
	"template.save": {
		arguments: { body?: t.TemplateSaveBody };
		answer: t.TemplateSaveOutput;
	};
	/** Get a template with its parameters, file and versions. */
	"template.get": {
		arguments: { id: string; version?: number };
		answer: t.TemplateDetail;
	};
	/** Delete a template; its runs stay. */
	"template.remove": {
		arguments: { id: string };
		answer: t.TemplateRemoveOutput;
	};
	/** Quote a template with values for its parameters; writes nothing. */
	"template.quote": {
		arguments: { id: string; body?: t.TemplateQuoteBody };
		answer: t.TemplateQuote;
	};
	/** Submit a template with values for its parameters. */
	"template.run": {
		arguments: { id: string; body?: t.TemplateQuoteBody };
		answer: t.TemplateRun;
	};
	/** Get waits, time to model, throughput, GPU utilization and lost GPU-hours by dimension or by time. */
	"performance.by": {
		arguments: { from?: string; to?: string; groupBy?: t.PerformanceGroupBy };
		answer: t.Performance;
	};
	/** Report GPU utilization of a node at home. */
	"performance.report": {
		arguments: { id: string; body: t.PerformanceReportBody };
		answer: t.GpuUseReading;
	};
	/** List the results of a job with their files, newest attempt first. */
	"artifact.list": {
		arguments: { id: string };
		answer: t.ArtifactListOutput;
	};
	/** Get a result with its files, sizes and SHA-256 sums. */
	"artifact.get": {
		arguments: { id: string };
		answer: t.Artifact;
	};
	/** Delete the files of a result; its record stays as lineage. */
	"artifact.delete": {
		arguments: { id: string };
		answer: t.ArtifactDeleteOutput;
	};
	/** Get what produced a result, what that cost, and the jobs that used it. */
	"artifact.lineage": {
		arguments: { id: string };
		answer: t.ArtifactLineage;
	};
	/** Retry the undelivered copies of a result now. */
	"artifact.deliver": {
		arguments: { id: string };
		answer: t.ArtifactDeliverOutput;
	};
	/** Download one file of a result; accepts one byte range. */
	"artifact.download": {
		arguments: { id: string; path: string };
		answer: never;
		file: true;
	};
	/** Create a link that downloads one file of a result without a token, for at most an hour. */
	"artifact.createLink": {
		arguments: { id: string; body: t.ArtifactCreateLinkBody };
		answer: t.ArtifactCreateLinkOutput;
	};
	/** List sites with pools, slots, health and the last sweep. */
	"site.list": {
		arguments: Record<never, never>;
		answer: t.SiteListOutput;
	};
	/** Connect a cloud account or a cluster; credentials are stored encrypted. */
	"site.add": {
		arguments: { body: t.SiteAddBody };
		answer: t.SiteSettings;
	};
	/** Check a site before it is stored; streams one step per line. */
	"site.checkDraft": {
		arguments: { body?: t.SiteCheckDraftBody };
		answer: never;
		line: t.CheckStep;
	};
	/** List the supported providers with their settings and least permissions. */
	"site.kinds": {
		arguments: Record<never, never>;
		answer: t.SiteKindsOutput;
	};
	/** Get a site's settings and where its credentials are; never the credentials. */
	"site.get": {
		arguments: { id: string };
		answer: t.SiteSettings;
	};
	/** Change, enable or disable a site; omitted fields keep their values. */
	"site.change": {
		arguments: { id: string; body?: t.SiteChangeBody };
		answer: t.SiteSettings;
	};
	/** Remove a disabled site that has no live machines or jobs. */
	"site.remove": {
		arguments: { id: string };
		answer: t.SiteRemoveOutput;
	};
	/** Check a stored site, optionally with other settings; streams one step per line. */
	"site.checkStored": {
		arguments: { id: string; body?: t.SiteCheckStoredBody };
		answer: never;
		line: t.CheckStep;
	};
	/** Set the hourly GPU price of a pool so that jobs can be placed on it. */
	"site.pricePool": {
		arguments: { siteId: string; poolId: string; body: t.SitePricePoolBody };
		answer: t.PricedPool;
	};
	/** List the cluster's own queue and which of its jobs are adopted. */
	"site.queue": {
		arguments: { id: string };
		answer: t.SiteQueueOutput;
	};
	/** List the nodes of an owned site, unavailable ones first. */
	"site.nodes": {
		arguments: {
			id: string;
			state?: "ready" | "closed" | "down" | readonly ("ready" | "closed" | "down")[];
			cursor?: string;
			limit?: number;
		};
		answer: t.NodePage;
	};
	/** List cloud instances, newest first. */
	"instance.list": {
		arguments: { state?: t.InstanceState | readonly t.InstanceState[]; live?: boolean; job?: string; cursor?: string; limit?: number };
		answer: t.InstanceListOutput;
	};
	/** List what can be bought, cheapest GPU-hour first. */
	"offer.list": {
		arguments: { gpus?: number; accelerator?: string; region?: string; capacity?: "spot" | "on_demand" | "reserved"; limit?: number };
		answer: t.OfferListOutput;
	};
	/** List imported list prices, by import, newest first. */
	"offer.snapshots": {
		arguments: Record<never, never>;
		answer: t.OfferSnapshotsOutput;
	};
	/** Import dated list prices of clouds from a CSV file. */
	"offer.importPrices": {
		arguments: { body: t.OfferImportPricesBody };
		answer: t.OfferImportPricesOutput;
	};
	/** Forecast the GPUs that jobs will want, hour by hour, with ranges and a score. */
	"forecast.demand": {
		arguments: { groupBy?: t.DemandForecastGroupBy; hours?: number };
		answer: t.DemandForecast;
	};
	/** Get the accuracy of wait forecasts, overall and by horizon. */
	"forecast.score": {
		arguments: Record<never, never>;
		answer: t.ForecastScoreOutput;
	};
	/** List machines that may be running without a job. */
	"overview.moneyAtRisk": {
		arguments: Record<never, never>;
		answer: t.OverviewMoneyAtRiskOutput;
	};
	/** Find jobs, teams, people, rules, machines, months and other entities by words. */
	"search.find": {
		arguments: {
			q?: string;
			kind?: t.SearchFindOutputItemsItemKind | readonly t.SearchFindOutputItemsItemKind[];
			live?: boolean;
			limit?: number;
		};
		answer: t.SearchFindOutput;
	};
	/** List policies; the one named default is in force. */
	"policy.names": {
		arguments: Record<never, never>;
		answer: t.PolicyNamesOutput;
	};
	/** Get the policy in force as YAML and as rules, with its ETag. */
	"policy.get": {
		arguments: { name: string };
		answer: t.Policy;
	};
	/** Publish a policy; requires If-Match. */
	"policy.put": {
		arguments: { name: string; message: string; body: t.PolicyPutBody | string };
		answer: t.Published;
	};
	/** List what each rule of the policy in force excluded, sent and cost in the last 30 days. */
	"policy.effects": {
		arguments: { name: string };
		answer: t.PolicyEffects;
	};
	/** List versions, newest first, with each publication. */
	"policy.versions": {
		arguments: { name: string; before?: number; limit?: number };
		answer: t.PolicyVersionsOutput;
	};
	/** Get one version with its text. */
	"policy.version": {
		arguments: { name: string; version: string };
		answer: t.VersionDetail;
	};
	/** Compare two versions by rule and by line. */
	"policy.diff": {
		arguments: { name: string; from?: number; to?: number | t.PolicyDiffTo };
		answer: t.PolicyDiffOutput;
	};
	/** Check a policy text: problems by line and column, and the differences. */
	"policy.check": {
		arguments: { name: string; body: t.PolicyCheckBody | string };
		answer: t.PolicyCheck;
	};
	/** Merge a text based on an older version with the version in force. */
	"policy.merge": {
		arguments: { name: string; body: t.PolicyMergeBody };
		answer: t.PolicyMergeOutput;
	};
	/** Publish an older version again. */
	"policy.rollback": {
		arguments: { name: string; body: t.PolicyRollbackBody };
		answer: t.Published;
	};
	/** Release a policy from git so that it can be edited here. */
	"policy.unmanage": {
		arguments: { name: string };
		answer: t.PolicyUnmanageOutput;
	};
	/** Get whether publishing needs a second person. */
	"policy.settings": {
		arguments: Record<never, never>;
		answer: t.PolicySettings;
	};
	/** Require a second person for publishing, or stop requiring one. */
	"policy.changeSettings": {
		arguments: { body: t.PolicyChangeSettingsBody };
		answer: t.PolicyChangeSettingsOutput;
	};
	/** Get your own draft. */
	"draft.get": {
		arguments: { name: string };
		answer: t.PolicyDraft;
	};
	/** Save your own draft, even if it is not valid yet. */
	"draft.save": {
		arguments: { name: string; body: t.DraftSaveBody | string };
		answer: t.DraftSaveOutput;
	};
	/** Delete your own draft. */
	"draft.discard": {
		arguments: { name: string };
		answer: t.DraftDiscardOutput;
	};
	/** Replay a draft and the version in force over past days, in the background. */
	"backtest.start": {
		arguments: { name: string; body: t.BacktestStartBody };
		answer: t.Backtest;
	};
	/** List backtests of a policy, newest first, without results. */
	"backtest.list": {
		arguments: { name: string; limit?: number };
		answer: t.BacktestListOutput;
	};
	/** Get a backtest with its progress, its estimate and its result. */
	"backtest.get": {
		arguments: { id: string };
		answer: t.Backtest;
	};
	/** Cancel a queued or running backtest. */
	"backtest.cancel": {
		arguments: { id: string };
		answer: t.Backtest;
	};
	/** Get the latest shadow: agreement, both costs and the newest differences. */
	"shadow.get": {
		arguments: { name: string };
		answer: t.Shadow;
	};
	/** Run a draft in the shadow of the policy in force; it only records. */
	"shadow.start": {
		arguments: { name: string; body: t.PolicyCheckBody | string };
		answer: t.Shadow;
	};
	/** Stop the running shadow and keep its records. */
	"shadow.stop": {
		arguments: { name: string };
		answer: t.Shadow;
	};
	/** Upload a trace of any size for a study. */
	"plan.upload": {
		arguments: { name?: string; body: string | Blob | Uint8Array<ArrayBuffer> };
		answer: t.Upload;
	};
	/** Study what to buy, rent or burst, from our own records or an uploaded trace, in the background. */
	"plan.start": {
		arguments: { body: t.PlanStartBodyRecords | t.PlanStartBodyOpen | t.PlanStartBodyUpload };
		answer: t.PlanStudy;
	};
	/** List plan studies, newest first, without results. */
	"plan.list": {
		arguments: { limit?: number };
		answer: t.PlanListOutput;
	};
	/** Get a plan study with its progress and its result. */
	"plan.get": {
		arguments: { id: string };
		answer: t.PlanStudy;
	};
	/** Get a study's demand, waits and burst candidates, of one team, class or GPU model, or of several of these. */
	"plan.demand": {
		arguments: { id: string; team?: string; class?: string; gpu?: string };
		answer: t.PlanStudyDemand;
	};
	/** Get the decision of a finished study with its frozen figures, and what happened since by month. */
	"plan.decision": {
		arguments: { id: string; format?: "json" | "pdf" };
		answer: t.PlanDecision;
		file: true;
	};
	/** Cancel a queued or running plan study. */
	"plan.cancel": {
		arguments: { id: string };
		answer: t.PlanStudy;
	};
	/** Get owned, idle and cloud cost by dimension, by time or by job. */
	"spend.by": {
		arguments: {
			from?: string;
			to?: string;
			groupBy?: t.SpendByGroupBy;
			currency?: string;
			cursor?: string;
			limit?: number;
			team?: string | readonly string[];
			project?: string | readonly string[];
			class?: t.SpendByClassItem | readonly t.SpendByClassItem[];
			provider?: t.PlacementProvider | readonly t.PlacementProvider[];
			region?: string | readonly string[];
			capacityType?: t.PlacementCapacityType | readonly t.PlacementCapacityType[];
			accelerator?: string | readonly string[];
			site?: string | readonly string[];
			kind?: t.ChargeDimensionsKind | readonly t.ChargeDimensionsKind[];
		};
		answer: t.SpendByOutput;
	};
	/** Explain why spend differs from the range before. */
	"spend.variance": {
		arguments: {
			from?: string;
			to?: string;
			team?: string | readonly string[];
			project?: string | readonly string[];
			class?: t.SpendByClassItem | readonly t.SpendByClassItem[];
			provider?: t.PlacementProvider | readonly t.PlacementProvider[];
			region?: string | readonly string[];
			capacityType?: t.PlacementCapacityType | readonly t.PlacementCapacityType[];
			accelerator?: string | readonly string[];
			site?: string | readonly string[];
			kind?: t.ChargeDimensionsKind | readonly t.ChargeDimensionsKind[];
		};
		answer: t.SpendVarianceOutput;
	};
	/** List the charges behind a number, newest first, with totals of the selection. */
	"spend.charges": {
		arguments: {
			from?: string;
			to?: string;
			job?: string;
			cause?: string;
			correction?: t.ChargeLineCorrection | readonly t.ChargeLineCorrection[];
			lost?: t.SpendChargesLost;
			withoutIdle?: boolean;
			asOf?: string;
			since?: string;
			budget?: string;
			cursor?: string;
			limit?: number;
			period?: string;
			team?: string | readonly string[];
			project?: string | readonly string[];
			class?: t.SpendByClassItem | readonly t.SpendByClassItem[];
			provider?: t.PlacementProvider | readonly t.PlacementProvider[];
			region?: string | readonly string[];
			capacityType?: t.PlacementCapacityType | readonly t.PlacementCapacityType[];
			accelerator?: string | readonly string[];
			site?: string | readonly string[];
			kind?: t.ChargeDimensionsKind | readonly t.ChargeDimensionsKind[];
		};
		answer: t.ChargePage;
	};
	/** Refund a cloud machine's charge, fully or in part. */
	"spend.refund": {
		arguments: { id: string; body: t.SpendRefundBody };
		answer: t.Refund;
	};
	/** Get the ledger's time zone and the result of its last check. */
	"ledger.get": {
		arguments: Record<never, never>;
		answer: t.LedgerGetOutput;
	};
	/** Set the ledger's time zone, before the first charge. */
	"ledger.setZone": {
		arguments: { body: t.LedgerSetZoneBody };
		answer: t.LedgerSetZoneOutput;
	};
	/** Get energy and emissions by dimension or by time. */
	"carbon.by": {
		arguments: {
			from?: string;
			to?: string;
			groupBy?: t.CarbonByGroupBy;
			team?: string | readonly string[];
			project?: string | readonly string[];
			class?: t.SpendByClassItem | readonly t.SpendByClassItem[];
			provider?: t.PlacementProvider | readonly t.PlacementProvider[];
			region?: string | readonly string[];
			capacityType?: t.PlacementCapacityType | readonly t.PlacementCapacityType[];
			accelerator?: string | readonly string[];
			site?: string | readonly string[];
			kind?: t.ChargeDimensionsKind | readonly t.ChargeDimensionsKind[];
		};
		answer: t.Carbon;
	};
	/** Explain why emissions differ from the range before. */
	"carbon.variance": {
		arguments: {
			from?: string;
			to?: string;
			team?: string | readonly string[];
			project?: string | readonly string[];
			class?: t.SpendByClassItem | readonly t.SpendByClassItem[];
			provider?: t.PlacementProvider | readonly t.PlacementProvider[];
			region?: string | readonly string[];
			capacityType?: t.PlacementCapacityType | readonly t.PlacementCapacityType[];
			accelerator?: string | readonly string[];
			site?: string | readonly string[];
			kind?: t.ChargeDimensionsKind | readonly t.ChargeDimensionsKind[];
		};
		answer: t.CarbonVarianceOutput;
	};
	/** Get the emissions that bursting avoided or added. */
	"carbon.avoided": {
		arguments: { from?: string; to?: string };
		answer: t.AvoidedEmissions;
	};
	/** Get grid intensity by place and hour on the last day of the range. */
	"carbon.intensities": {
		arguments: { from?: string; to?: string };
		answer: t.Grid;
	};
	/** Import hourly grid intensities. */
	"carbon.importIntensities": {
		arguments: { body: t.CarbonImportIntensitiesBody };
		answer: t.ImportedIntensity;
	};
	/** List the budgets of the policy in force. */
	"budget.list": {
		arguments: Record<never, never>;
		answer: t.BudgetListOutput;
	};
	/** Add a budget to the policy, or propose it to a second person. */
	"budget.add": {
		arguments: { body: t.BudgetAddBody };
		answer: t.CapChanged;
	};
	/** Get a budget by day, team and job, with its forecast and past periods. */
	"budget.get": {
		arguments: { id: string; period?: string };
		answer: t.BudgetDetail;
	};
	/** Change a budget's cap, or propose it to a second person. */
	"budget.changeCap": {
		arguments: { id: string; body: t.BudgetChangeCapBody };
		answer: t.CapChanged;
	};
	/** Get the end of a budget's period as a range, by the demand forecast of each team. */
	"budget.outlook": {
		arguments: { id: string };
		answer: t.BudgetOutlook;
	};
	/** List changes that need a second person. */
	"approval.proposals": {
		arguments: Record<never, never>;
		answer: t.ApprovalProposalsOutput;
	};
	/** Approve another person's change; it takes effect immediately. */
	"approval.approveProposal": {
		arguments: { id: string };
		answer: t.ApprovalApproveProposalOutput;
	};
	/** Reject another person's change, or withdraw your own. */
	"approval.rejectProposal": {
		arguments: { id: string };
		answer: t.ApprovalRejectProposalOutput;
	};
	/** List approval requests, newest first. */
	"approval.list": {
		arguments: { state?: "open" | "past"; jobId?: string; cursor?: string; limit?: number };
		answer: t.ApprovalListOutput;
	};
	/** Get who can approve your jobs and the median time to an answer. */
	"approval.outlook": {
		arguments: { role: "platform" | "data_scientist" | "finance" };
		answer: t.ApprovalOutlook;
	};
	/** Get an approval request: quote, rule, free budget and answer. */
	"approval.get": {
		arguments: { id: string };
		answer: t.Approval;
	};
	/** Approve a job, optionally up to an amount. */
	"approval.grant": {
		arguments: { id: string; body?: t.ApprovalGrantBody };
		answer: t.DecidedApproval;
	};
	/** Reject a job; it stays at home unless its submitter requests approval again. */
	"approval.refuse": {
		arguments: { id: string; body?: t.ApprovalRefuseBody };
		answer: t.DecidedApproval;
	};
	/** Request approval again after a rejection or an expiry. */
	"approval.askAgain": {
		arguments: { id: string };
		answer: t.ApprovalAskAgainOutput;
	};
	/** List alerts, newest first. */
	"alert.list": {
		arguments: { state?: "open" | "past"; rule?: t.AlertRule; cursor?: string; limit?: number };
		answer: t.AlertListOutput;
	};
	/** List notification channels; webhook addresses show the host only. */
	"channel.list": {
		arguments: Record<never, never>;
		answer: t.ChannelListOutput;
	};
	/** Create a channel; a webhook's signing key is returned once. */
	"channel.create": {
		arguments: { body: t.ChannelCreateBodyEmail | t.ChannelCreateBody | t.ChannelCreateBody2 };
		answer: t.ChannelCreateOutput;
	};
	/** Change a channel; omitted fields keep their values. */
	"channel.update": {
		arguments: { id: string; body?: t.ChannelUpdateBody };
		answer: t.ChannelUpdateOutput;
	};
	/** Delete a channel with its address and key. */
	"channel.remove": {
		arguments: { id: string };
		answer: t.ChannelRemoveOutput;
	};
	/** Send a test message to a channel. */
	"channel.test": {
		arguments: { id: string };
		answer: t.ChannelTestOutput;
	};
	/** List sent messages, newest first. */
	"channel.deliveries": {
		arguments: { state?: "pending" | "sent" | "failed"; cursor?: string; limit?: number };
		answer: t.ChannelDeliveriesOutput;
	};
	/** List owned pools with the rate card in force and this month's cost. */
	"rates.list": {
		arguments: Record<never, never>;
		answer: t.RatesListOutput;
	};
	/** Get a pool's rate card, this month's cost and the history. */
	"rates.get": {
		arguments: { siteId: string; poolId: string };
		answer: t.PoolRates;
	};
	/** Set a pool's rate card from a point in time; existing charges are corrected. */
	"rates.set": {
		arguments: { siteId: string; poolId: string; body: t.RatesSetBody };
		answer: t.RateCardSet;
	};
	/** Set the measured energy of a pool; it replaces the rate card's estimate. */
	"rates.setMeasuredPower": {
		arguments: { siteId: string; poolId: string; body: t.RatesSetMeasuredPowerBody };
		answer: t.MeasuredPowerSet;
	};
	/** List a site's hourly electricity prices. */
	"rates.electricityPrices": {
		arguments: { siteId: string; from?: string; to?: string };
		answer: t.RatesElectricityPricesOutput;
	};
	/** Import a site's hourly electricity prices; existing charges are corrected. */
	"rates.setElectricityPrices": {
		arguments: { siteId: string; body: t.RatesSetElectricityPricesBody };
		answer: t.ElectricityPricesSet;
	};
	/** List reserved and committed capacity. */
	"rates.commitments": {
		arguments: Record<never, never>;
		answer: t.RatesCommitmentsOutput;
	};
	/** Replace the list of reserved and committed capacity. */
	"rates.setCommitments": {
		arguments: { body: t.RatesSetCommitmentsBody };
		answer: t.RatesSetCommitmentsOutput;
	};
	/** List cloud discounts and how many offers each applies to. */
	"rates.discounts": {
		arguments: Record<never, never>;
		answer: t.RatesDiscountsOutput;
	};
	/** Replace the list of cloud discounts. */
	"rates.setDiscounts": {
		arguments: { body: t.RatesSetDiscountsBody };
		answer: t.RatesSetDiscountsOutput;
	};
	/** Get the reporting currency and the currencies with exchange rates. */
	"currency.get": {
		arguments: Record<never, never>;
		answer: t.CurrencyGetOutput;
	};
	/** Set the currency that reports are shown in; the ledger stays in US dollars. */
	"currency.set": {
		arguments: { body: t.CurrencySetBody };
		answer: t.CurrencySetOutput;
	};
	/** List imported exchange rates, newest date first. */
	"currency.rates": {
		arguments: { currency?: string; from?: string; to?: string; limit?: number };
		answer: t.CurrencyRatesOutput;
	};
	/** Import dated exchange rates from a CSV file. */
	"currency.importRates": {
		arguments: { body: t.OfferImportPricesBody };
		answer: t.CurrencyImportRatesOutput;
	};
	/** List data sets with copies, and recent transfer speeds by region. */
	"dataSet.list": {
		arguments: Record<never, never>;
		answer: t.DataSets;
	};
	/** Replace the list of data sets that have copies. */
	"dataSet.set": {
		arguments: { body: t.DataSetSetBody };
		answer: t.DataSets;
	};
	/** List stores of teams, what each team keeps, and its limits. */
	"store.list": {
		arguments: Record<never, never>;
		answer: t.StoreListOutput;
	};
	/** Check a store and add it to a team; credentials are stored encrypted and never returned. */
	"store.add": {
		arguments: { body: t.StoreAddBody };
		answer: t.Store;
	};
	/** Make a store its team's default, or use the embedded store again. */
	"store.change": {
		arguments: { id: string; body: t.StoreChangeBody };
		answer: t.Store;
	};
	/** Change a store's settings or credentials; the place of its files cannot change. */
	"store.update": {
		arguments: { id: string; body?: t.StoreUpdateBody };
		answer: t.Store;
	};
	/** Remove a store; its files stay where they are and stay readable. */
	"store.remove": {
		arguments: { id: string };
		answer: t.StoreRemoveOutput;
	};
	/** Set the prices of a store from now on; `embedded` is the id of the embedded store. */
	"store.setPrice": {
		arguments: { id: string; body: t.StoreSetPriceBody };
		answer: t.StorePrice;
	};
	/** Write, list, read and delete a small file, and issue credentials for one folder. */
	"store.check": {
		arguments: { id: string };
		answer: t.StoreCheckOutput;
	};
	/** Set a team's quota and retention of results. */
	"store.limits": {
		arguments: { body: t.StoreLimitsBody };
		answer: t.StoreLimitsOutput;
	};
	/** List months and the state of their statements, newest first. */
	"statement.list": {
		arguments: { team?: string };
		answer: t.StatementListOutput;
	};
	/** Get a month's statement: the newest version, or a preview. */
	"statement.get": {
		arguments: { month: string; team?: string; version?: number; currency?: string; format?: "json" | "csv" | "pdf" };
		answer: t.Statement;
		file: true;
	};
	/** Close a finished month, or close it again with a reason. */
	"statement.close": {
		arguments: { month: string; body?: t.StatementCloseBody };
		answer: t.ClosedMonth;
	};
	/** Sign the newest version of a statement. */
	"statement.sign": {
		arguments: { month: string; body: t.StatementSignBody };
		answer: t.StatementSignOutput;
	};
	/** Export every charge of a month as FOCUS 1.2, 1.3 or 1.4. */
	"bill.exportFocus": {
		arguments: {
			month: string;
			format?: "csv";
			version?: "1.2" | "1.3" | "1.4";
			dataset?: "cost-and-usage" | "contract-commitment";
			asOf?: string;
		};
		answer: never;
		file: true;
	};
	/** Import a provider's FOCUS file and reconcile its months. */
	"bill.import": {
		arguments: { name?: string; body: string | Blob | Uint8Array<ArrayBuffer> };
		answer: t.BillImportOutput;
	};
	/** List imported bills, newest first. */
	"bill.list": {
		arguments: Record<never, never>;
		answer: t.BillListOutput;
	};
	/** Get a month's bills compared with the ledger, largest difference first. */
	"bill.reconciliation": {
		arguments: { month: string; state?: t.ReconciledResourceState; provider?: "aws" | "azure" | "gcp"; team?: string };
		answer: t.Reconciliation;
	};
	/** Compare a month's bills with the ledger again. */
	"bill.reconcile": {
		arguments: { month: string; body?: t.BillReconcileBody };
		answer: t.Reconciliation;
	};
	/** List a month's reconciliations, newest first, and what each posted. */
	"bill.reconciliationHistory": {
		arguments: { month: string; provider?: "aws" | "azure" | "gcp" };
		answer: t.ReconciliationHistory;
	};
	/** List the bill lines behind one resource of a reconciliation. */
	"bill.lines": {
		arguments: { month: string; resource: string; instance?: string };
		answer: t.ResourceLines;
	};
	/** Get an imported bill with its columns. */
	"bill.get": {
		arguments: { id: string };
		answer: t.BillDetail;
	};
	/** Download the lines of a bill unchanged. */
	"bill.export": {
		arguments: { id: string };
		answer: never;
		file: true;
	};
	/** List who changed what, when and from where, newest first. */
	"audit.list": {
		arguments: {
			actor?: string;
			action?: string;
			subject?: string;
			from?: string;
			to?: string;
			q?: string;
			cursor?: string;
			limit?: number;
		};
		answer: t.AuditListOutput;
	};
	/** Get the latest hash of the audit chain and its last check. */
	"audit.chain": {
		arguments: Record<never, never>;
		answer: t.ChainState;
	};
	/** Verify the whole audit chain; streams progress and a result. */
	"audit.verify": {
		arguments: { head?: string };
		answer: never;
		line: t.AuditVerifyLine;
	};
	/** Export audit lines with their hashes. */
	"audit.export": {
		arguments: { actor?: string; action?: string; subject?: string; from?: string; to?: string; q?: string; format?: "csv" | "ndjson" };
		answer: never;
		file: true;
	};
	/** List the secrets of your teams, never their values. */
	"secret.list": {
		arguments: Record<never, never>;
		answer: t.SecretListOutput;
	};
	/** Create or replace a secret of a team; its value is never returned. */
	"secret.set": {
		arguments: { team: string; name: string; body?: t.SecretSetBody };
		answer: t.SecretSetOutput;
	};
	/** Delete a secret; jobs that name it fail when they start. */
	"secret.delete": {
		arguments: { team: string; name: string };
		answer: t.SecretDeleteOutput;
	};
	/** List your tokens, or everyone's as an administrator; never the tokens themselves. */
	"token.list": {
		arguments: Record<never, never>;
		answer: t.TokenListOutput;
	};
	/** Create a token with scopes and an expiry; it is returned once. */
	"token.create": {
		arguments: { body: t.TokenCreateBody };
		answer: t.TokenCreateOutput;
	};
	/** Revoke a token; it stops working within 5 seconds. */
	"token.revoke": {
		arguments: { id: string };
		answer: t.TokenRevokeOutput;
	};
	/** Change name, role and teams of an account. */
	"account.update": {
		arguments: { id: string; body?: t.AccountUpdateBody };
		answer: t.AccountUpdateOutput;
	};
	/** List accounts with their identities, and sign-ins that wait for approval. */
	"account.list": {
		arguments: Record<never, never>;
		answer: t.AccountListOutput;
	};
	/** Create a person with an invitation of 7 days, or a service account. */
	"account.create": {
		arguments: { body: t.AccountCreateBody };
		answer: t.AccountCreateOutput;
	};
	/** Let the next sign-in with the account's verified address be linked, for 7 days. */
	"account.invite": {
		arguments: { id: string };
		answer: t.AccountInviteOutput;
	};
	/** Disable an account; its sessions and tokens end. */
	"account.disable": {
		arguments: { id: string };
		answer: t.AccountDisableOutput;
	};
	/** Enable a disabled account. */
	"account.enable": {
		arguments: { id: string };
		answer: t.AccountEnableOutput;
	};
	/** Approve a waiting sign-in: link it to the account with its address. */
	"account.linkIdentity": {
		arguments: { id: string };
		answer: t.AccountLinkIdentityOutput;
	};
	/** Reject a waiting sign-in. */
	"account.rejectIdentity": {
		arguments: { id: string };
		answer: t.AccountRejectIdentityOutput;
	};
	/** List built-in and custom roles with their permissions. */
	"role.list": {
		arguments: Record<never, never>;
		answer: t.RoleListOutput;
	};
	/** Create a custom role with some of a built-in role's permissions. */
	"role.create": {
		arguments: { body: t.RoleCreateBody };
		answer: t.RoleCreateOutput;
	};
	/** Replace the permissions of a custom role. */
	"role.update": {
		arguments: { name: string; body: t.RoleUpdateBody };
		answer: t.RoleUpdateOutput;
	};
	/** Delete a custom role that no account and no group mapping has. */
	"role.delete": {
		arguments: { name: string };
		answer: t.RoleDeleteOutput;
	};
	/** Show what you are notified about by mail, and whether the last mail was sent. */
	"notification.get": {
		arguments: Record<never, never>;
		answer: t.Notifications;
	};
	/** Choose the events of your jobs and pipelines that are mailed to you; omitted fields keep their values. */
	"notification.set": {
		arguments: { body?: t.NotificationSetBody };
		answer: t.Notifications;
	};
	/** List your teams, or all teams for roles that see all, with cost centers. */
	"team.list": {
		arguments: Record<never, never>;
		answer: t.TeamListOutput;
	};
	/** Create a team. */
	"team.create": {
		arguments: { body: t.TeamCreateBody };
		answer: t.TeamCreateOutput;
	};
	/** Rename a team (its title), or change its cost center or parent. */
	"team.update": {
		arguments: { name: string; body?: t.TeamUpdateBody };
		answer: t.TeamUpdateOutput;
	};
	/** Delete a team without members, work or belongings. */
	"team.delete": {
		arguments: { name: string };
		answer: t.TeamDeleteOutput;
	};
	/** List which groups of the identity provider give which role and team. */
	"groupMapping.list": {
		arguments: Record<never, never>;
		answer: t.GroupMappingListOutput;
	};
	/** Map a group to a role, a team or both. */
	"groupMapping.set": {
		arguments: { body: t.GroupMappingSetBody };
		answer: t.GroupMapping;
	};
	/** Remove a group's mapping. */
	"groupMapping.remove": {
		arguments: { body: t.GroupMappingRemoveBody };
		answer: t.GroupMappingRemoveOutput;
	};
	/** Compute the role and teams of a person in some groups, without changing anything. */
	"groupMapping.check": {
		arguments: { body: t.GroupMappingCheckBody };
		answer: t.GroupMappingCheckOutput;
	};
	/** Read which set-up steps are done, skipped or open. */
	"setup.get": {
		arguments: Record<never, never>;
		answer: t.SetupGetOutput;
	};
	/** Save the company's time zone, before the first charge. */
	"setup.company": {
		arguments: { body: t.LedgerSetZoneBody };
		answer: t.SetupCompanyOutput;
	};
	/** Skip a set-up step. */
	"setup.skip": {
		arguments: { body: t.SetupSkipBody };
		answer: t.SetupSkipOutput;
	};
	/** Build the first policy from four answers, without saving it. */
	"setup.policy": {
		arguments: { body: t.SetupPolicyBody };
		answer: t.SetupPolicyOutput;
	};
	/** Compare a company file with the installation, without changing anything. */
	"company.plan": {
		arguments: { body: t.CompanyPlanBody | string };
		answer: t.CompanyPlanOutput;
	};
	/** Apply a company file in one transaction; the hash names the difference that was shown. */
	"company.apply": {
		arguments: { body: t.CompanyApplyBody };
		answer: t.CompanyApplyOutput;
	};
}

/** The request of each operation. */
export const OPERATIONS = {
	"job.create": { method: "POST", path: "/jobs", query: [], textType: "application/yaml", isRepeatable: true },
	"job.list": {
		method: "GET",
		path: "/jobs",
		query: ["state", "team", "class", "site", "mine", "trials", "q", "endedSince", "cursor", "limit"],
		textType: null,
		isRepeatable: false,
	},
	"job.facets": {
		method: "GET",
		path: "/jobs/facets",
		query: ["state", "team", "class", "site", "mine", "trials", "q", "endedSince"],
		textType: null,
		isRepeatable: false,
	},
	"job.get": { method: "GET", path: "/jobs/{id}", query: [], textType: null, isRepeatable: false },
	"job.cancel": { method: "POST", path: "/jobs/{id}/cancel", query: [], textType: null, isRepeatable: true },
	"job.act": { method: "POST", path: "/jobs/actions", query: [], textType: null, isRepeatable: true },
	"job.resume": { method: "POST", path: "/jobs/{id}/resume", query: [], textType: null, isRepeatable: true },
	"job.readLogs": {
		method: "GET",
		path: "/jobs/{id}/logs",
		query: ["attempt", "after", "tail", "limit", "follow"],
		textType: null,
		isRepeatable: false,
	},
	"job.decisions": { method: "GET", path: "/jobs/{id}/decisions", query: [], textType: null, isRepeatable: false },
	"job.replay": { method: "GET", path: "/jobs/{id}/replay", query: ["decision"], textType: null, isRepeatable: false },
	"job.waiting": { method: "GET", path: "/jobs/{id}/waiting", query: [], textType: null, isRepeatable: false },
	"job.gpuUse": { method: "GET", path: "/jobs/{id}/gpu-use", query: [], textType: null, isRepeatable: false },
	"job.receipt": { method: "GET", path: "/jobs/{id}/receipt", query: [], textType: null, isRepeatable: false },
	"job.metrics": { method: "GET", path: "/jobs/{id}/metrics", query: [], textType: null, isRepeatable: false },
	"job.mlflow": { method: "GET", path: "/jobs/{id}/mlflow", query: [], textType: null, isRepeatable: false },
	"job.quote": { method: "POST", path: "/quotes", query: [], textType: "application/yaml", isRepeatable: false },
	"job.importBatchScript": {
		method: "POST",
		path: "/imports/sbatch",
		query: ["team", "zoneOffsetMinutes"],
		textType: "text/plain",
		isRepeatable: false,
	},
	"job.importManifests": {
		method: "POST",
		path: "/imports/kubernetes",
		query: ["team", "zoneOffsetMinutes"],
		textType: "text/plain",
		isRepeatable: false,
	},
	"view.list": { method: "GET", path: "/views", query: [], textType: null, isRepeatable: false },
	"view.create": { method: "POST", path: "/views", query: [], textType: null, isRepeatable: true },
	"view.update": { method: "PATCH", path: "/views/{id}", query: [], textType: null, isRepeatable: false },
	"view.delete": { method: "DELETE", path: "/views/{id}", query: [], textType: null, isRepeatable: false },
	"pipeline.create": { method: "POST", path: "/pipelines", query: [], textType: "application/yaml", isRepeatable: true },
	"pipeline.list": {
		method: "GET",
		path: "/pipelines",
		query: ["state", "kind", "team", "q", "cursor", "limit"],
		textType: null,
		isRepeatable: false,
	},
	"pipeline.quote": { method: "POST", path: "/pipelines/quotes", query: [], textType: "application/yaml", isRepeatable: false },
	"pipeline.get": { method: "GET", path: "/pipelines/{id}", query: [], textType: null, isRepeatable: false },
	"pipeline.runs": { method: "GET", path: "/pipelines/{id}/runs", query: ["step", "after", "limit"], textType: null, isRepeatable: false },
	"pipeline.trials": { method: "GET", path: "/pipelines/{id}/trials", query: ["metric"], textType: null, isRepeatable: false },
	"pipeline.importWorkflows": {
		method: "POST",
		path: "/imports/pipelines",
		query: ["team", "zoneOffsetMinutes"],
		textType: "text/plain",
		isRepeatable: false,
	},
	"pipeline.cancel": { method: "POST", path: "/pipelines/{id}/cancel", query: [], textType: null, isRepeatable: true },
	"pipeline.retry": { method: "POST", path: "/pipelines/{id}/retry", query: [], textType: null, isRepeatable: true },
	"trigger.create": { method: "POST", path: "/triggers", query: [], textType: "application/yaml", isRepeatable: true },
	"trigger.list": { method: "GET", path: "/triggers", query: ["team"], textType: null, isRepeatable: false },
	"trigger.enable": { method: "POST", path: "/triggers/{id}/enable", query: [], textType: null, isRepeatable: true },
	"trigger.remove": { method: "DELETE", path: "/triggers/{id}", query: [], textType: null, isRepeatable: true },
	"template.list": { method: "GET", path: "/templates", query: ["team"], textType: null, isRepeatable: false },
	"template.save": { method: "POST", path: "/templates", query: [], textType: null, isRepeatable: true },
	"template.get": { method: "GET", path: "/templates/{id}", query: ["version"], textType: null, isRepeatable: false },
	"template.remove": { method: "DELETE", path: "/templates/{id}", query: [], textType: null, isRepeatable: true },
	"template.quote": { method: "POST", path: "/templates/{id}/quotes", query: [], textType: null, isRepeatable: false },
	"template.run": { method: "POST", path: "/templates/{id}/runs", query: [], textType: null, isRepeatable: true },
	"performance.by": { method: "GET", path: "/performance", query: ["from", "to", "groupBy"], textType: null, isRepeatable: false },
	"performance.report": { method: "POST", path: "/sites/{id}/gpu-use", query: [], textType: null, isRepeatable: true },
	"artifact.list": { method: "GET", path: "/jobs/{id}/artifacts", query: [], textType: null, isRepeatable: false },
	"artifact.get": { method: "GET", path: "/artifacts/{id}", query: [], textType: null, isRepeatable: false },
	"artifact.delete": { method: "DELETE", path: "/artifacts/{id}", query: [], textType: null, isRepeatable: true },
	"artifact.lineage": { method: "GET", path: "/artifacts/{id}/lineage", query: [], textType: null, isRepeatable: false },
	"artifact.deliver": { method: "POST", path: "/artifacts/{id}/deliver", query: [], textType: null, isRepeatable: true },
	"artifact.download": { method: "GET", path: "/artifacts/{id}/content", query: ["path"], textType: null, isRepeatable: false },
	"artifact.createLink": { method: "POST", path: "/artifacts/{id}/links", query: [], textType: null, isRepeatable: false },
	"site.list": { method: "GET", path: "/sites", query: [], textType: null, isRepeatable: false },
	"site.add": { method: "POST", path: "/sites", query: [], textType: null, isRepeatable: true },
	"site.checkDraft": { method: "POST", path: "/sites/check", query: [], textType: null, isRepeatable: false },
	"site.kinds": { method: "GET", path: "/site-kinds", query: [], textType: null, isRepeatable: false },
	"site.get": { method: "GET", path: "/sites/{id}", query: [], textType: null, isRepeatable: false },
	"site.change": { method: "PATCH", path: "/sites/{id}", query: [], textType: null, isRepeatable: true },
	"site.remove": { method: "DELETE", path: "/sites/{id}", query: [], textType: null, isRepeatable: true },
	"site.checkStored": { method: "POST", path: "/sites/{id}/check", query: [], textType: null, isRepeatable: false },
	"site.pricePool": { method: "PUT", path: "/sites/{siteId}/pools/{poolId}", query: [], textType: null, isRepeatable: true },
	"site.queue": { method: "GET", path: "/sites/{id}/queue", query: [], textType: null, isRepeatable: false },
	"site.nodes": { method: "GET", path: "/sites/{id}/nodes", query: ["state", "cursor", "limit"], textType: null, isRepeatable: false },
	"instance.list": {
		method: "GET",
		path: "/instances",
		query: ["state", "live", "job", "cursor", "limit"],
		textType: null,
		isRepeatable: false,
	},
	"offer.list": {
		method: "GET",
		path: "/offers",
		query: ["gpus", "accelerator", "region", "capacity", "limit"],
		textType: null,
		isRepeatable: false,
	},
	"offer.snapshots": { method: "GET", path: "/price-snapshots", query: [], textType: null, isRepeatable: false },
	"offer.importPrices": { method: "PUT", path: "/price-snapshots", query: [], textType: null, isRepeatable: true },
	"forecast.demand": { method: "GET", path: "/forecasts/demand", query: ["groupBy", "hours"], textType: null, isRepeatable: false },
	"forecast.score": { method: "GET", path: "/forecasts/score", query: [], textType: null, isRepeatable: false },
	"overview.moneyAtRisk": { method: "GET", path: "/money-at-risk", query: [], textType: null, isRepeatable: false },
	"search.find": { method: "GET", path: "/search", query: ["q", "kind", "live", "limit"], textType: null, isRepeatable: false },
	"policy.names": { method: "GET", path: "/policies", query: [], textType: null, isRepeatable: false },
	"policy.get": { method: "GET", path: "/policies/{name}", query: [], textType: null, isRepeatable: false },
	"policy.put": { method: "PUT", path: "/policies/{name}", query: ["message"], textType: "application/yaml", isRepeatable: false },
	"policy.effects": { method: "GET", path: "/policies/{name}/effects", query: [], textType: null, isRepeatable: false },
	"policy.versions": { method: "GET", path: "/policies/{name}/versions", query: ["before", "limit"], textType: null, isRepeatable: false },
	"policy.version": { method: "GET", path: "/policies/{name}/versions/{version}", query: [], textType: null, isRepeatable: false },
	"policy.diff": { method: "GET", path: "/policies/{name}/diff", query: ["from", "to"], textType: null, isRepeatable: false },
	"policy.check": { method: "POST", path: "/policies/{name}/check", query: [], textType: "application/yaml", isRepeatable: false },
	"policy.merge": { method: "POST", path: "/policies/{name}/merge", query: [], textType: null, isRepeatable: false },
	"policy.rollback": { method: "POST", path: "/policies/{name}/rollback", query: [], textType: null, isRepeatable: true },
	"policy.unmanage": { method: "POST", path: "/policies/{name}/unmanage", query: [], textType: null, isRepeatable: true },
	"policy.settings": { method: "GET", path: "/policy-settings", query: [], textType: null, isRepeatable: false },
	"policy.changeSettings": { method: "PUT", path: "/policy-settings", query: [], textType: null, isRepeatable: false },
	"draft.get": { method: "GET", path: "/policies/{name}/draft", query: [], textType: null, isRepeatable: false },
	"draft.save": { method: "PUT", path: "/policies/{name}/draft", query: [], textType: "application/yaml", isRepeatable: false },
	"draft.discard": { method: "POST", path: "/policies/{name}/draft/discard", query: [], textType: null, isRepeatable: false },
	"backtest.start": { method: "POST", path: "/policies/{name}/backtest", query: [], textType: null, isRepeatable: true },
	"backtest.list": { method: "GET", path: "/policies/{name}/backtests", query: ["limit"], textType: null, isRepeatable: false },
	"backtest.get": { method: "GET", path: "/backtests/{id}", query: [], textType: null, isRepeatable: false },
	"backtest.cancel": { method: "POST", path: "/backtests/{id}/cancel", query: [], textType: null, isRepeatable: false },
	"shadow.get": { method: "GET", path: "/policies/{name}/shadow", query: [], textType: null, isRepeatable: false },
	"shadow.start": { method: "POST", path: "/policies/{name}/shadow", query: [], textType: "application/yaml", isRepeatable: true },
	"shadow.stop": { method: "POST", path: "/policies/{name}/shadow/stop", query: [], textType: null, isRepeatable: false },
	"plan.upload": { method: "POST", path: "/plan/uploads", query: ["name"], textType: "application/octet-stream", isRepeatable: false },
	"plan.start": { method: "POST", path: "/plan/studies", query: [], textType: null, isRepeatable: false },
	"plan.list": { method: "GET", path: "/plan/studies", query: ["limit"], textType: null, isRepeatable: false },
	"plan.get": { method: "GET", path: "/plan/studies/{id}", query: [], textType: null, isRepeatable: false },
	"plan.demand": { method: "GET", path: "/plan/studies/{id}/demand", query: ["team", "class", "gpu"], textType: null, isRepeatable: false },
	"plan.decision": { method: "GET", path: "/plan/studies/{id}/decision", query: ["format"], textType: null, isRepeatable: false },
	"plan.cancel": { method: "POST", path: "/plan/studies/{id}/cancel", query: [], textType: null, isRepeatable: false },
	"spend.by": {
		method: "GET",
		path: "/spend",
		query: [
			"from",
			"to",
			"groupBy",
			"currency",
			"cursor",
			"limit",
			"team",
			"project",
			"class",
			"provider",
			"region",
			"capacityType",
			"accelerator",
			"site",
			"kind",
		],
		textType: null,
		isRepeatable: false,
	},
	"spend.variance": {
		method: "GET",
		path: "/spend/variance",
		query: ["from", "to", "team", "project", "class", "provider", "region", "capacityType", "accelerator", "site", "kind"],
		textType: null,
		isRepeatable: false,
	},
	"spend.charges": {
		method: "GET",
		path: "/charges",
		query: [
			"from",
			"to",
			"job",
			"cause",
			"correction",
			"lost",
			"withoutIdle",
			"asOf",
			"since",
			"budget",
			"cursor",
			"limit",
			"period",
			"team",
			"project",
			"class",
			"provider",
			"region",
			"capacityType",
			"accelerator",
			"site",
			"kind",
		],
		textType: null,
		isRepeatable: false,
	},
	"spend.refund": { method: "POST", path: "/charges/{id}/refund", query: [], textType: null, isRepeatable: true },
	"ledger.get": { method: "GET", path: "/ledger", query: [], textType: null, isRepeatable: false },
	"ledger.setZone": { method: "PUT", path: "/ledger/zone", query: [], textType: null, isRepeatable: true },
	"carbon.by": {
		method: "GET",
		path: "/carbon",
		query: ["from", "to", "groupBy", "team", "project", "class", "provider", "region", "capacityType", "accelerator", "site", "kind"],
		textType: null,
		isRepeatable: false,
	},
	"carbon.variance": {
		method: "GET",
		path: "/carbon/variance",
		query: ["from", "to", "team", "project", "class", "provider", "region", "capacityType", "accelerator", "site", "kind"],
		textType: null,
		isRepeatable: false,
	},
	"carbon.avoided": { method: "GET", path: "/carbon/avoided", query: ["from", "to"], textType: null, isRepeatable: false },
	"carbon.intensities": { method: "GET", path: "/carbon/intensities", query: ["from", "to"], textType: null, isRepeatable: false },
	"carbon.importIntensities": { method: "POST", path: "/carbon/intensities", query: [], textType: null, isRepeatable: true },
	"budget.list": { method: "GET", path: "/budgets", query: [], textType: null, isRepeatable: false },
	"budget.add": { method: "POST", path: "/budgets", query: [], textType: null, isRepeatable: true },
	"budget.get": { method: "GET", path: "/budgets/{id}", query: ["period"], textType: null, isRepeatable: false },
	"budget.changeCap": { method: "PUT", path: "/budgets/{id}", query: [], textType: null, isRepeatable: true },
	"budget.outlook": { method: "GET", path: "/budgets/{id}/outlook", query: [], textType: null, isRepeatable: false },
	"approval.proposals": { method: "GET", path: "/proposals", query: [], textType: null, isRepeatable: false },
	"approval.approveProposal": { method: "POST", path: "/proposals/{id}/approve", query: [], textType: null, isRepeatable: true },
	"approval.rejectProposal": { method: "POST", path: "/proposals/{id}/reject", query: [], textType: null, isRepeatable: true },
	"approval.list": { method: "GET", path: "/approvals", query: ["state", "jobId", "cursor", "limit"], textType: null, isRepeatable: false },
	"approval.outlook": { method: "GET", path: "/approvals/outlook", query: ["role"], textType: null, isRepeatable: false },
	"approval.get": { method: "GET", path: "/approvals/{id}", query: [], textType: null, isRepeatable: false },
	"approval.grant": { method: "POST", path: "/approvals/{id}/grant", query: [], textType: null, isRepeatable: true },
	"approval.refuse": { method: "POST", path: "/approvals/{id}/refuse", query: [], textType: null, isRepeatable: true },
	"approval.askAgain": { method: "POST", path: "/jobs/{id}/ask-again", query: [], textType: null, isRepeatable: true },
	"alert.list": { method: "GET", path: "/alerts", query: ["state", "rule", "cursor", "limit"], textType: null, isRepeatable: false },
	"channel.list": { method: "GET", path: "/channels", query: [], textType: null, isRepeatable: false },
	"channel.create": { method: "POST", path: "/channels", query: [], textType: null, isRepeatable: false },
	"channel.update": { method: "PUT", path: "/channels/{id}", query: [], textType: null, isRepeatable: false },
	"channel.remove": { method: "POST", path: "/channels/{id}/remove", query: [], textType: null, isRepeatable: true },
	"channel.test": { method: "POST", path: "/channels/{id}/test", query: [], textType: null, isRepeatable: true },
	"channel.deliveries": { method: "GET", path: "/deliveries", query: ["state", "cursor", "limit"], textType: null, isRepeatable: false },
	"rates.list": { method: "GET", path: "/rate-cards", query: [], textType: null, isRepeatable: false },
	"rates.get": { method: "GET", path: "/sites/{siteId}/pools/{poolId}/rate-card", query: [], textType: null, isRepeatable: false },
	"rates.set": { method: "PUT", path: "/sites/{siteId}/pools/{poolId}/rate-card", query: [], textType: null, isRepeatable: true },
	"rates.setMeasuredPower": {
		method: "PUT",
		path: "/sites/{siteId}/pools/{poolId}/measured-power",
		query: [],
		textType: null,
		isRepeatable: true,
	},
	"rates.electricityPrices": {
		method: "GET",
		path: "/sites/{siteId}/electricity-prices",
		query: ["from", "to"],
		textType: null,
		isRepeatable: false,
	},
	"rates.setElectricityPrices": {
		method: "PUT",
		path: "/sites/{siteId}/electricity-prices",
		query: [],
		textType: null,
		isRepeatable: true,
	},
	"rates.commitments": { method: "GET", path: "/commitments", query: [], textType: null, isRepeatable: false },
	"rates.setCommitments": { method: "PUT", path: "/commitments", query: [], textType: null, isRepeatable: true },
	"rates.discounts": { method: "GET", path: "/discounts", query: [], textType: null, isRepeatable: false },
	"rates.setDiscounts": { method: "PUT", path: "/discounts", query: [], textType: null, isRepeatable: true },
	"currency.get": { method: "GET", path: "/reporting-currency", query: [], textType: null, isRepeatable: false },
	"currency.set": { method: "PUT", path: "/reporting-currency", query: [], textType: null, isRepeatable: true },
	"currency.rates": {
		method: "GET",
		path: "/exchange-rates",
		query: ["currency", "from", "to", "limit"],
		textType: null,
		isRepeatable: false,
	},
	"currency.importRates": { method: "PUT", path: "/exchange-rates", query: [], textType: null, isRepeatable: true },
	"dataSet.list": { method: "GET", path: "/data-sets", query: [], textType: null, isRepeatable: false },
	"dataSet.set": { method: "PUT", path: "/data-sets", query: [], textType: null, isRepeatable: true },
	"store.list": { method: "GET", path: "/stores", query: [], textType: null, isRepeatable: false },
	"store.add": { method: "POST", path: "/stores", query: [], textType: null, isRepeatable: false },
	"store.change": { method: "PUT", path: "/stores/{id}", query: [], textType: null, isRepeatable: true },
	"store.update": { method: "PATCH", path: "/stores/{id}", query: [], textType: null, isRepeatable: true },
	"store.remove": { method: "DELETE", path: "/stores/{id}", query: [], textType: null, isRepeatable: true },
	"store.setPrice": { method: "PUT", path: "/stores/{id}/price", query: [], textType: null, isRepeatable: true },
	"store.check": { method: "POST", path: "/stores/{id}/check", query: [], textType: null, isRepeatable: true },
	"store.limits": { method: "PUT", path: "/storage-limits", query: [], textType: null, isRepeatable: true },
	"statement.list": { method: "GET", path: "/statements", query: ["team"], textType: null, isRepeatable: false },
	"statement.get": {
		method: "GET",
		path: "/statements/{month}",
		query: ["team", "version", "currency", "format"],
		textType: null,
		isRepeatable: false,
	},
	"statement.close": { method: "POST", path: "/statements/{month}/close", query: [], textType: null, isRepeatable: true },
	"statement.sign": { method: "POST", path: "/statements/{month}/sign", query: [], textType: null, isRepeatable: true },
	"bill.exportFocus": {
		method: "GET",
		path: "/exports/focus",
		query: ["month", "format", "version", "dataset", "asOf"],
		textType: null,
		isRepeatable: false,
	},
	"bill.import": { method: "POST", path: "/invoices", query: ["name"], textType: "text/csv", isRepeatable: false },
	"bill.list": { method: "GET", path: "/invoices", query: [], textType: null, isRepeatable: false },
	"bill.reconciliation": {
		method: "GET",
		path: "/reconciliations/{month}",
		query: ["state", "provider", "team"],
		textType: null,
		isRepeatable: false,
	},
	"bill.reconcile": { method: "POST", path: "/reconciliations/{month}", query: [], textType: null, isRepeatable: false },
	"bill.reconciliationHistory": {
		method: "GET",
		path: "/reconciliations/{month}/history",
		query: ["provider"],
		textType: null,
		isRepeatable: false,
	},
	"bill.lines": {
		method: "GET",
		path: "/reconciliations/{month}/lines",
		query: ["resource", "instance"],
		textType: null,
		isRepeatable: false,
	},
	"bill.get": { method: "GET", path: "/invoices/{id}", query: [], textType: null, isRepeatable: false },
	"bill.export": { method: "GET", path: "/invoices/{id}/lines", query: [], textType: null, isRepeatable: false },
	"audit.list": {
		method: "GET",
		path: "/audit",
		query: ["actor", "action", "subject", "from", "to", "q", "cursor", "limit"],
		textType: null,
		isRepeatable: false,
	},
	"audit.chain": { method: "GET", path: "/audit/chain", query: [], textType: null, isRepeatable: false },
	"audit.verify": { method: "GET", path: "/audit/verify", query: ["head"], textType: null, isRepeatable: false },
	"audit.export": {
		method: "GET",
		path: "/exports/audit",
		query: ["actor", "action", "subject", "from", "to", "q", "format"],
		textType: null,
		isRepeatable: false,
	},
	"secret.list": { method: "GET", path: "/secrets", query: [], textType: null, isRepeatable: false },
	"secret.set": { method: "PUT", path: "/teams/{team}/secrets/{name}", query: [], textType: null, isRepeatable: false },
	"secret.delete": { method: "DELETE", path: "/teams/{team}/secrets/{name}", query: [], textType: null, isRepeatable: false },
	"token.list": { method: "GET", path: "/tokens", query: [], textType: null, isRepeatable: false },
	"token.create": { method: "POST", path: "/tokens", query: [], textType: null, isRepeatable: false },
	"token.revoke": { method: "DELETE", path: "/tokens/{id}", query: [], textType: null, isRepeatable: false },
	"account.update": { method: "PATCH", path: "/accounts/{id}", query: [], textType: null, isRepeatable: false },
	"account.list": { method: "GET", path: "/accounts", query: [], textType: null, isRepeatable: false },
	"account.create": { method: "POST", path: "/accounts", query: [], textType: null, isRepeatable: false },
	"account.invite": { method: "POST", path: "/accounts/{id}/invite", query: [], textType: null, isRepeatable: false },
	"account.disable": { method: "POST", path: "/accounts/{id}/disable", query: [], textType: null, isRepeatable: false },
	"account.enable": { method: "POST", path: "/accounts/{id}/enable", query: [], textType: null, isRepeatable: false },
	"account.linkIdentity": { method: "POST", path: "/identities/{id}/link", query: [], textType: null, isRepeatable: false },
	"account.rejectIdentity": { method: "POST", path: "/identities/{id}/reject", query: [], textType: null, isRepeatable: false },
	"role.list": { method: "GET", path: "/roles", query: [], textType: null, isRepeatable: false },
	"role.create": { method: "POST", path: "/roles", query: [], textType: null, isRepeatable: false },
	"role.update": { method: "PATCH", path: "/roles/{name}", query: [], textType: null, isRepeatable: false },
	"role.delete": { method: "DELETE", path: "/roles/{name}", query: [], textType: null, isRepeatable: false },
	"notification.get": { method: "GET", path: "/notifications", query: [], textType: null, isRepeatable: false },
	"notification.set": { method: "PUT", path: "/notifications", query: [], textType: null, isRepeatable: false },
	"team.list": { method: "GET", path: "/teams", query: [], textType: null, isRepeatable: false },
	"team.create": { method: "POST", path: "/teams", query: [], textType: null, isRepeatable: false },
	"team.update": { method: "PATCH", path: "/teams/{name}", query: [], textType: null, isRepeatable: false },
	"team.delete": { method: "DELETE", path: "/teams/{name}", query: [], textType: null, isRepeatable: false },
	"groupMapping.list": { method: "GET", path: "/group-mappings", query: [], textType: null, isRepeatable: false },
	"groupMapping.set": { method: "PUT", path: "/group-mappings", query: [], textType: null, isRepeatable: false },
	"groupMapping.remove": { method: "POST", path: "/group-mappings/remove", query: [], textType: null, isRepeatable: false },
	"groupMapping.check": { method: "POST", path: "/group-mappings/check", query: [], textType: null, isRepeatable: false },
	"setup.get": { method: "GET", path: "/setup", query: [], textType: null, isRepeatable: false },
	"setup.company": { method: "PUT", path: "/setup/company", query: [], textType: null, isRepeatable: false },
	"setup.skip": { method: "POST", path: "/setup/skip", query: [], textType: null, isRepeatable: false },
	"setup.policy": { method: "POST", path: "/setup/policy", query: [], textType: null, isRepeatable: false },
	"company.plan": { method: "POST", path: "/company/plan", query: [], textType: "application/yaml", isRepeatable: false },
	"company.apply": { method: "POST", path: "/company/apply", query: [], textType: null, isRepeatable: false },
} as const;
