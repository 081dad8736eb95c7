-- expands: earlier programs run on this schema
CREATE TABLE "template" (
	"id" text PRIMARY KEY NOT NULL,
	"team" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "template_version" (
	"template_id" text NOT NULL,
	"version" integer NOT NULL,
	"kind" text NOT NULL,
	"description" text NOT NULL,
	"source" text NOT NULL,
	"saved_by" text NOT NULL,
	"saved_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "template_version_template_id_version_pk" PRIMARY KEY("template_id","version")
);
--> statement-breakpoint
DROP TABLE "pipeline_template" CASCADE;--> statement-breakpoint
ALTER TABLE "pipeline" ADD COLUMN "source" text;--> statement-breakpoint
ALTER TABLE "template_version" ADD CONSTRAINT "template_version_template_id_template_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."template"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "template_name" ON "template" USING btree ("team","name") WHERE "template"."deleted_at" is null;