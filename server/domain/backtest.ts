import type { WorkloadClass } from "./vocabulary.ts";

/** What a policy would have done in the time; money as decimal strings of micro-dollars. */
export interface BacktestSums {
	jobs: number;
	cloudCostMicroUsd: string;
	ownedGpuHours: number;
	cloudGpuHours: number;
	/** 0 to 1 of the owned GPUs' time. */
	ownedUtilisation: number;
	meanWaitMs: number;
	p95WaitMs: number;
	missedDeadlines: number;
	egressGiB: number;
	/** null when the intensity of any place is not known. */
	emissionsGrams: number | null;
	waits: { team: string; class: WorkloadClass; jobs: number; meanWaitMs: number }[];
	budgets: { id: string; periodKey: string; capMicroUsd: string; postedMicroUsd: string }[];
	/** Every UTC day of the time. */
	days: BacktestDay[];
	/** Jobs that still waited, and ran, when the time was over: what they would have cost later is in no sum. */
	waitingAtEnd: number;
	runningAtEnd: number;
	/** Of those that wait, held until a person says yes. */
	askedForApproval: number;
	/** Of the jobs with a deadline that fell in the time. */
	deadlines: number;
}

export interface BacktestDay {
	/** YYYY-MM-DD */
	date: string;
	/** Spread evenly over the time of each machine. */
	cloudCostMicroUsd: string;
	/** Of the jobs submitted on this day; null: none was. */
	meanWaitMs: number | null;
	/** Deadlines that passed on this day without their job being done. */
	missedDeadlines: number;
	/** null when the intensity of any place is not known. */
	emissionsGrams: number | null;
}

export interface BacktestPlace {
	/** e.g. `at home` or `aws us-east-1 p4d.24xlarge spot`; null: it had not started by the end. */
	place: string | null;
	waitMs: number | null;
	costMicroUsd: string;
	/** null when the intensity of any place is not known. */
	emissionsGrams: number | null;
	/** UTC ms; null: it was not done by the end. */
	finishedAtMs: number | null;
	/** One sentence, as the job's own page would say it. */
	explanation: string;
}

/** A job that would have gone elsewhere. Times are UTC ms. */
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
	/** Jobs that would have gone elsewhere, those with the largest change of cost first; at most 500. */
	moved: BacktestMove[];
	movedCount: number;
	/** What the history does not contain, in sentences. */
	gaps: string[];
	replayedJobs: number;
	replaySeconds: number;
}
