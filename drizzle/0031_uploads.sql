-- expands: earlier programs run on this schema
CREATE TABLE "upload" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_part" (
	"upload_id" text NOT NULL,
	"at" bigint NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "upload_part_upload_id_at_pk" PRIMARY KEY("upload_id","at")
);
--> statement-breakpoint
ALTER TABLE "plan_study" ADD COLUMN "upload_id" text;--> statement-breakpoint
ALTER TABLE "upload_part" ADD CONSTRAINT "upload_part_upload_id_upload_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."upload"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "upload_created" ON "upload" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE "plan_study" ADD CONSTRAINT "plan_study_upload_id_upload_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."upload"("id") ON DELETE set null ON UPDATE no action;