"use client";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";

/** What fails around the screens, such as reading who is signed in: there is no console to tell it in. */
export default function PageError({ error }: { error: Error & { digest?: string } }) {
	const told = describeError(error);
	const onTheServer = error.digest !== undefined;
	return (
		<main className="grid min-h-dvh place-items-center px-4">
			<div>
				<h1 className="text-center text-xl font-bold tracking-tight">Spillway</h1>
				<ErrorState
					title="This page could not be shown"
					detail={
						onTheServer
							? "The server could not make it: its database may be out of reach. Try again; when it fails again, a platform engineer finds the request's id in the log of the web server."
							: told.detail
					}
					requestId={error.digest ?? null}
					// All of it anew: what failed may be a file of a version that was replaced meanwhile.
					onRetry={() => window.location.reload()}
				/>
			</div>
		</main>
	);
}
