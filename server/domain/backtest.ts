import type { WorkloadClass } from "./vocabulary.ts";

/** What a policy would have done in the period; money as decimal strings of micro-dollars. */
export interface BacktestSums {
	jobs: number;
	cloudCostMicroUsd: string;
	ownedGpuHours: number;
	cloudGpuHours: number;
	/** 0 to 1 of the owned GPU time. */
	ownedUtilisation: number;
	meanWaitMs: number;
	p95WaitMs: number;
	missedDeadlines: number;
	egressGiB: number;
	/** null when the intensity of any place is unknown. */
	emissionsGrams: number | null;
	waits: { team: string; class: WorkloadClass; jobs: number; meanWaitMs: number }[];
	budgets: { id: string; periodKey: string; capMicroUsd: string; postedMicroUsd: string }[];
	/** Every UTC day of the period. */
	days: BacktestDay[];
	/** Jobs still waiting or running at the end of the period. What they would cost later is in no sum. */
	waitingAtEnd: number;
	runningAtEnd: number;
	/** Of the waiting jobs, those held for approval. */
	askedForApproval: number;
	/** Of the jobs with a deadline in the period. */
	deadlines: number;
}

export interface BacktestDay {
	/** YYYY-MM-DD */
	date: string;
	/** Spread evenly over each machine's lifetime. */
	cloudCostMicroUsd: string;
	/** For jobs submitted on this day; null: none. */
	meanWaitMs: number | null;
	/** Deadlines missed on this day. */
	missedDeadlines: number;
	/** null when the intensity of any place is unknown. */
	emissionsGrams: number | null;
}

export interface BacktestPlace {
	/** e.g. `at home` or `aws us-east-1 p4d.24xlarge spot`; null: not started by the end. */
	place: string | null;
	waitMs: number | null;
	costMicroUsd: string;
	/** null when the intensity of any place is unknown. */
	emissionsGrams: number | null;
	/** UTC ms; null: not finished by the end. */
	finishedAtMs: number | null;
	/** One sentence, as on the job's page. */
	explanation: string;
}

/** A job that would have run elsewhere. Times are UTC ms. */
export interface BacktestMove {
	jobId: string;
	name: string;
	team: string;
	class: WorkloadClass;
	gpus: number;
	submittedAtMs: number;
	deadlineAtMs: number | null;
	published: BacktestPlace;
	draft: BacktestPlace;
}

export interface BacktestResult {
	published: BacktestSums;
	draft: BacktestSums;
	/** Jobs that would have run elsewhere, largest change in cost first; at most 500. */
	moved: BacktestMove[];
	movedCount: number;
	/** Limits of the recorded history, as sentences. */
	gaps: string[];
	replayedJobs: number;
	replaySeconds: number;
}

/** Change in cost and wait, estimated from the latest part of the period while the whole is replayed. */
export interface BacktestEstimate {
	/** Start of the replayed part, UTC ms. It ends with the period. */
	fromMs: number;
	/** Jobs submitted in that part, and in the whole period. */
	jobs: number;
	ofJobs: number;
	/** Scaled to the whole period. */
	publishedCostMicroUsd: string;
	draftCostMicroUsd: string;
	/** Two standard errors of the difference; null: unknown, with too few jobs. */
	costErrorMicroUsd: string | null;
	publishedMeanWaitMs: number;
	draftMeanWaitMs: number;
	waitErrorMs: number | null;
}
