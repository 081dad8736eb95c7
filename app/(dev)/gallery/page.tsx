import { notFound } from "next/navigation";

export const dynamic = "force-dynamic";

/** Every component in every form, to look at while building. A production build answers 404 and leaves the gallery out. */
export default async function GalleryPage() {
	if (process.env.NODE_ENV !== "production") {
		const { Gallery } = await import("#components/gallery/gallery.tsx");
		return <Gallery nowMs={Date.now()} />;
	}
	notFound();
}
