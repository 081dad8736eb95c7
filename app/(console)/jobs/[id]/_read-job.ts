import { TRPCError } from "@trpc/server";
import { notFound } from "next/navigation";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, trpc } from "#app/_trpc/server.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";

/** Returns 404 both for a missing job and for a job of another team, so that callers cannot distinguish them. */
export async function readJob(id: string): Promise<JobDetail> {
	await signedIn();
	try {
		return await getQueryClient().fetchQuery(trpc.job.get.queryOptions({ id }));
	} catch (error) {
		if (error instanceof TRPCError && (error.code === "NOT_FOUND" || error.code === "BAD_REQUEST")) notFound();
		throw error;
	}
}

export type JobPageProps = {
	params: Promise<{ id: string }>;
	searchParams: Promise<Record<string, string | string[] | undefined>>;
};
