import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { ApprovePanel } from "#components/device/approve-panel.tsx";
import { BrandMark } from "#components/shell/brand.tsx";
import { TrpcProviders } from "#components/trpc/client.tsx";

export const metadata: Metadata = { title: "Approve sign-in" };
export const dynamic = "force-dynamic";

/** Approves a sign-in that `spillway login` started. */
export default async function DevicePage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
	const actor = await signedIn();
	const { code } = await searchParams;
	return (
		<main className="grid min-h-dvh place-items-center px-4 py-10">
			<div className="w-full max-w-92">
				<div className="mb-6 flex items-center gap-2.5">
					<BrandMark className="size-7" />
					<span className="text-xl font-bold tracking-tight">Spillway</span>
				</div>
				<div className="grid gap-4 rounded-xl border bg-panel p-5">
					<h1 className="text-md font-semibold">Sign in on the command line</h1>
					<TrpcProviders owner={actor.accountId}>
						<ApprovePanel code={typeof code === "string" ? code.slice(0, 32) : ""} person={actor.name} />
					</TrpcProviders>
				</div>
			</div>
		</main>
	);
}
