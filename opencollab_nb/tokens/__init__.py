"""What text weighs: exact counts where the model's encoding is known, a local estimate elsewhere."""
