/** The job's folder in a team's store. Each rank's files of one checkpoint are at `ATTEMPT/CHECKPOINT/RANK` below it. */
export function checkpointsFolder(jobId: string): string {
	return `checkpoints/${jobId}`;
}
