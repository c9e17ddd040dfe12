// What has one reader at a time.
#pragma once

namespace rollcall {

/// Marks something as being read until the reader's frame ends, however it ends. What is marked must outlive the frame.
class ReaderMark {
 public:
  explicit ReaderMark(bool& is_being_read) : is_being_read_(is_being_read) { is_being_read_ = true; }
  ~ReaderMark() { is_being_read_ = false; }
  ReaderMark(const ReaderMark&) = delete;
  ReaderMark& operator=(const ReaderMark&) = delete;

 private:
  bool& is_being_read_;
};

}  // namespace rollcall
